/** Waits for a condition by asking again, for what gives no event of its own. */

/** Between two looks, in milliseconds. */
const LOOK_EVERY_MS = 20
/** More than the server itself gives the engine, in milliseconds. */
const DEADLINE_MS = 25_000

/**
 * Resolves with the first answer that is not false, null or undefined. Rejects when the condition does, and at the deadline with an
 * error that names `what`.
 */
export async function until<T>(
  what: string,
  condition: () => T | Promise<T>,
  deadlineMs = DEADLINE_MS,
): Promise<NonNullable<Exclude<T, false>>> {
  const end = performance.now() + deadlineMs
  for (;;) {
    const answer = await condition()
    if (answer !== false && answer !== null && answer !== undefined) return answer as NonNullable<Exclude<T, false>>
    if (performance.now() > end) throw new Error(`waited ${deadlineMs} ms in vain for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
}
