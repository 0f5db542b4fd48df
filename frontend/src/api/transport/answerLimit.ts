/**
 * How long a request waits for its answer to begin, and for each further piece of it. If a network drops a connection without a word, a request on it never
 * fails by itself, and a page that polls would wait for it for ever.
 */

/** For a read that the server answers at once, in milliseconds. */
export const ANSWER_WITHIN_MS = 30_000
/**
 * For a renewal of the sign-in, in milliseconds. It is tried three times, all within the 30 s in which the server still
 * accepts the earlier refresh token.
 */
export const RENEWED_WITHIN_MS = 12_000

/** For these the server runs programs in an agent, or asks another host. It ends them itself, after minutes at most. */
const SLOW: readonly RegExp[] = [
  /^\/coding-agents\/status\?/,
  /^\/coding-agents\/sessions\/[^/]+\/publication\b/,
  /^\/(?:agents\/[^/]+|system-agent)\/(?:git\/|worktrees\b)/,
]

/** The limit of a read, in milliseconds. Null: none. */
export const limitOfRead = (path: string): number | null =>
  SLOW.some((slow) => slow.test(path)) ? null : ANSWER_WITHIN_MS

/** The same answer. Calls `goesOn` at each piece of its body, and `over` after the last one. */
export function watched(answer: Response, goesOn: () => void, over: () => void): Response {
  if (answer.body === null) {
    over()
    return answer
  }
  const pieces = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform: (piece, to) => {
      goesOn()
      to.enqueue(piece)
    },
    flush: over,
  })
  const { status, statusText, headers } = answer
  return new Response(answer.body.pipeThrough(pieces), { status, statusText, headers })
}
