import { createHttp } from './http.ts'
import { refreshKey } from './refreshKey.ts'

/** Name of the lock that keeps two tabs from using the same refresh cookie at once. */
const REFRESH_LOCK = 'slipway-refresh'

/** The one client of this page. */
export const http = createHttp({
  fetch: (url, init) => fetch(url, init),
  // The Web Locks API exists on https and localhost only; without it a tab is still serialised with itself.
  exclusively: (run) => ('locks' in navigator ? navigator.locks.request(REFRESH_LOCK, run) : run()),
  now: () => Date.now(),
  refreshKey,
})
