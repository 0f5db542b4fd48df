/** How long a command waits for a server that is away. */

/** Time between two tries, in milliseconds. */
const AGAIN_MS = 500
/** A request that is cut after so long was with the server, in milliseconds. Without one, it fails at once. */
const HELD_MS = 1000

export interface Patience {
  /** How long the server may be away before it has had the request, in milliseconds. */
  readonly patienceMs: number
  /** How long it may be away after it has had the request, in milliseconds. */
  readonly heldPatienceMs: number
  /** The time in milliseconds. */
  readonly now: () => number
  readonly pause: (ms: number) => Promise<unknown>
}

/** What came of one try without an answer. */
export interface Failure {
  /** Whether the server had the request for as long as a request may take. */
  readonly isHung: boolean
}

/**
 * Tries until there is an answer, or until the server has been away for too long: then the answer is null. A server that
 * goes away while it has the request may be away for `heldPatienceMs` from then on.
 */
export const patiently = async <T>(
  attempt: () => Promise<{ readonly answer: T } | Failure>,
  { patienceMs, heldPatienceMs, now, pause }: Patience,
): Promise<T | null> => {
  let until = now() + patienceMs
  for (;;) {
    const beganAt = now()
    const outcome = await attempt()
    if ('answer' in outcome) return outcome.answer
    if (!outcome.isHung && now() - beganAt >= HELD_MS) until = now() + heldPatienceMs
    if (now() > until) return null
    await pause(AGAIN_MS)
  }
}
