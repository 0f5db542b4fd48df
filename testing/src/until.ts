/** Polls a condition that raises no event. */

/** Shortest and longest time between two checks, in milliseconds. */
const SHORTEST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 500
/**
 * How much later than necessary it may see that the condition holds, as a part of the time that it took. A condition is often
 * a request or a program in a container: without pauses, a test that waits keeps a core busy, and all others wait longer.
 */
const LATER = 0.1
/** Pauses are at least so many times as long as the check before them. */
const PAUSES_PER_CHECK = 2
/**
 * Far longer than anything takes on two busy, slow cores, in milliseconds. What comes sooner is not slowed down by it: only a
 * failure takes this long.
 */
const DEADLINE_MS = 120_000

/** For `vi.waitFor` and `vi.waitUntil`, which wait for a second by default. A busy machine may take that long to go on. */
export const PATIENTLY = { timeout: DEADLINE_MS }

/**
 * Resolves with the first answer that is not false, null or undefined. Rejects when the condition rejects. At the
 * deadline it rejects with an error that names `what`.
 */
export async function until<T>(
  what: string,
  condition: () => T | Promise<T>,
  deadlineMs = DEADLINE_MS,
): Promise<NonNullable<Exclude<T, false>>> {
  const begun = performance.now()
  for (;;) {
    const asked = performance.now()
    const answer = await condition()
    if (answer !== false && answer !== null && answer !== undefined) return answer as NonNullable<Exclude<T, false>>
    const now = performance.now()
    if (now - begun > deadlineMs) throw new Error(`waited ${deadlineMs} ms in vain for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, pauseAfter(now - begun, now - asked)))
  }
}

/** When {@link actUntil} acts again, in milliseconds. */
const AGAIN_MS = 5_000

/**
 * Like {@link until}. It acts at once, and again every five seconds: a program that has just started, or that takes fast keys
 * for a paste, loses some, and keys that are typed while a connection is lost are dropped.
 */
export const actUntil = async (
  what: string,
  condition: () => boolean | Promise<boolean>,
  act: () => unknown,
): Promise<void> => {
  let actedAt = -Infinity
  await until(what, async () => {
    if (await condition()) return true
    if (performance.now() - actedAt < AGAIN_MS) return false
    await act()
    actedAt = performance.now()
    return false
  })
}

/** The time until the next check, in milliseconds. */
const pauseAfter = (elapsedMs: number, checkMs: number): number => {
  const pause = Math.max(elapsedMs * LATER, checkMs * PAUSES_PER_CHECK, SHORTEST_PAUSE_MS)
  return Math.min(pause, LONGEST_PAUSE_MS)
}
