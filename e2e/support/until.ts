/** Waits for a condition by asking again, for what gives no event of its own. */

const INTERVAL_MS = 25

/** Answers what `probe` answered once that is neither false, null nor undefined; fails with `what` at the deadline. */
export const until = async <T>(
  what: string,
  probe: () => T | Promise<T>,
  deadlineMs = 20_000,
): Promise<Exclude<T, false | null | undefined>> => {
  const deadline = Date.now() + deadlineMs
  for (;;) {
    const result = await probe()
    if (result !== false && result !== null && result !== undefined)
      return result as Exclude<T, false | null | undefined>
    if (Date.now() > deadline) throw new Error(`waited ${deadlineMs} ms in vain: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS))
  }
}
