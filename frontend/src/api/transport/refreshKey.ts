/**
 * The refresh key: the half of the refresh secret that is not in the cookie. It is kept in the storage of the page's origin, which
 * is closed to servers on other ports of the same host; the cookie is not. Alone it is worth nothing.
 */

/** Name of the key in the browser's storage. */
const NAME = 'slipway-refresh-key'

/** Where a browser keeps no storage for the page, the sign-in lasts as long as the page. */
let kept: string | null = null

const orNothing = <T>(act: () => T): T | null => {
  try {
    return act()
  } catch {
    return null
  }
}

export const refreshKey = {
  /** What the last sign-in in this browser has left, in whichever tab; null where nobody is signed in. */
  read: (): string | null => {
    const stored = orNothing(() => ({ value: localStorage.getItem(NAME) }))
    return stored === null ? kept : stored.value
  },
  keep(key: string): void {
    kept = key
    orNothing(() => localStorage.setItem(NAME, key))
  },
  /** Forgets the key, if no other tab has signed in since and left another one. */
  forget(key: string): void {
    if (refreshKey.read() !== key) return
    kept = null
    orNothing(() => localStorage.removeItem(NAME))
  },
}

export type RefreshKey = typeof refreshKey
