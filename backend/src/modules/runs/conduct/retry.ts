/** How long the work on a run waits before it tries again what the database refused. */

/** Delays between attempts, in milliseconds. The last one repeats. */
const RETRY_MS: readonly number[] = [100, 500, 2_000, 10_000]

/** How long to wait before another attempt, after so many that failed. */
export const retryMs = (tries: number): number | undefined => RETRY_MS[Math.min(tries, RETRY_MS.length - 1)]
