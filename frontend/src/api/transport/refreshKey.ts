/**
 * The refresh key: the half of the refresh secret that is not in the cookie. It is in the storage of the page's origin.
 * Servers on other ports of the same host can get the cookie, but not this storage. The key alone is worthless.
 */

/** Name of the key in the browser's storage. */
const NAME = 'slipway-refresh-key'

/** Used if the browser has no storage for the page. The sign-in then lasts as long as the page. */
let kept: string | null = null

const orNothing = <T>(act: () => T): T | null => {
  try {
    return act()
  } catch {
    return null
  }
}

export const refreshKey = {
  /** The key of the last sign-in in this browser, from any tab. Null if no user is signed in. */
  read: (): string | null => {
    const stored = orNothing(() => ({ value: localStorage.getItem(NAME) }))
    return stored === null ? kept : stored.value
  },
  keep(key: string): void {
    kept = key
    orNothing(() => localStorage.setItem(NAME, key))
  },
  /** Removes the key, unless another tab has signed in since and stored another one. */
  forget(key: string): void {
    if (refreshKey.read() !== key) return
    kept = null
    orNothing(() => localStorage.removeItem(NAME))
  },
}

export type RefreshKey = typeof refreshKey
