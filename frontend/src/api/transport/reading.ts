/** Answers that are read as they come. */
import { unreachable } from './errors.ts'

/** How far something is that is on its way. */
export interface Progress {
  /** In bytes. */
  readonly loaded: number
  /** In bytes; null where the server did not say. */
  readonly total: number | null
}

/** The pieces of an answer, and nothing more from the network until the next one is asked for. `signal` ends it; what ends it otherwise is an `ApiError`. */
export async function* piecesOf(
  response: Response,
  signal: AbortSignal,
  told: (progress: Progress) => void = () => undefined,
): AsyncGenerator<Uint8Array> {
  const total = totalOf(response.headers)
  const reader = response.body?.getReader()
  if (reader === undefined) return
  let loaded = 0
  told({ loaded, total })
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        throw signal.aborted ? cause : unreachable(cause)
      })
      if (done) return
      loaded += value.length
      told({ loaded, total })
      yield value
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

/** A proxy that compresses says how long its own answer is. */
function totalOf(headers: Headers): number | null {
  const length = headers.get('content-length')
  return length === null || headers.has('content-encoding') ? null : Number(length)
}
