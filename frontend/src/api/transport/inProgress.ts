import { errorOf } from './errors.ts'

/**
 * How long all pauses together may be while the server is still at work on the first try of a request, in milliseconds.
 * The server answers almost every request sooner.
 */
export const IN_PROGRESS_MS_MAX = 30_000
/** The pause where the server does not say when to try again, in milliseconds. */
const PAUSE_MS = 1_000

/** How long to wait for the first try of a request, in milliseconds. Null: the response is its answer. */
async function waitOf(response: Response): Promise<number | null> {
  if (response.status !== 409) return null
  // The caller reads the body of the response itself.
  const { code } = await errorOf(response.clone())
  if (code !== 'REQUEST_IN_PROGRESS') return null
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return seconds > 0 ? seconds * 1000 : PAUSE_MS
}

/**
 * Sends a request with an idempotency key until it has the answer of its first try, whose response was lost. The server
 * refuses further tries while it is at work on the first one.
 */
export async function answerOfFirst(
  send: () => Promise<Response>,
  pause: (ms: number) => Promise<void>,
): Promise<Response> {
  for (let waited = 0; ;) {
    const response = await send()
    const ms = await waitOf(response)
    if (ms === null || waited + ms > IN_PROGRESS_MS_MAX) return response
    waited += ms
    await pause(ms)
  }
}
