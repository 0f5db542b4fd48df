/**
 * The full address to which a browser goes for a path of this site; null for one that leaves the site, or is no path. The
 * browser's own parser decides: it drops tabs and newlines, and takes a backslash for a slash (WHATWG URL, 4.4).
 *
 * @param origin for instance `https://slipway.example.org`
 */
export function ownAddress(path: string, origin: string = location.origin): string | null {
  if (!path.startsWith('/')) return null
  try {
    const address = new URL(path, origin)
    return address.origin === origin ? address.href : null
  } catch {
    // A path such as `//[` is no address at all.
    return null
  }
}

/** Only a path of this page may be gone to after signing in; another origin never. */
export function safeNext(next: unknown): string {
  return typeof next === 'string' && ownAddress(next) !== null ? next : '/'
}

/** Loads the page anew, at `place` of it, or where it is. */
export function reloadAt(place: string | null): void {
  if (place === null || new URL(place, location.href).href === location.href) location.reload()
  // The browser reads a path otherwise than the router, and may leave the site for it.
  else location.assign(ownAddress(place) ?? '/')
}
