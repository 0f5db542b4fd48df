/**
 * The full address that a browser opens for a path of this site. Null if the address leaves the site, or `path` is not
 * a path. The browser's own parser decides: it drops tabs and newlines, and reads a backslash as a slash (WHATWG URL,
 * 4.4).
 *
 * @param origin for instance `https://slipway.example.org`
 */
export function ownAddress(path: string, origin: string = location.origin): string | null {
  if (!path.startsWith('/')) return null
  try {
    const address = new URL(path, origin)
    return address.origin === origin ? address.href : null
  } catch {
    // A path such as `//[` is not a valid address.
    return null
  }
}

/** The path to open after signing in. Only a path of this site is allowed, never another origin. */
export function safeNext(next: unknown): string {
  return typeof next === 'string' && ownAddress(next) !== null ? next : '/'
}

/** Reloads the page, at `place` or at its present address. */
export function reloadAt(place: string | null): void {
  if (place === null || new URL(place, location.href).href === location.href) location.reload()
  // The browser parses a path differently from the router, so the path might leave the site.
  else location.assign(ownAddress(place) ?? '/')
}
