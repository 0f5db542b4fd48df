import { afterMs } from '@/lib/timing/schedule.ts'
import { createHttp } from './http.ts'
import { refreshKey } from './refreshKey.ts'

/** Name of the lock that keeps two tabs from using the same refresh cookie at the same time. */
const REFRESH_LOCK = 'slipway-refresh'

/** The one HTTP client of this page. */
export const http = createHttp({
  fetch: (url, init) => fetch(url, init),
  // The Web Locks API exists on https and localhost only. Without it, only requests of the same tab wait for each
  // other.
  exclusively: (run) => ('locks' in navigator ? navigator.locks.request(REFRESH_LOCK, run) : run()),
  now: () => Date.now(),
  pause: (ms) => new Promise((resolve) => afterMs(resolve, ms)),
  later: afterMs,
  refreshKey,
})
