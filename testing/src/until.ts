/** Polls a condition that raises no event. */

/** Time between two checks, in milliseconds. */
const LOOK_EVERY_MS = 20
/** Longer than the server waits for the engine, in milliseconds. */
const DEADLINE_MS = 25_000

/**
 * Resolves with the first answer that is not false, null or undefined. Rejects when the condition rejects. At the
 * deadline it rejects with an error that names `what`.
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
