/** Responses that are read as they arrive. */
import { unreachable } from './errors.ts'

/** Progress of a transfer. */
export interface Progress {
  /** In bytes. */
  readonly loaded: number
  /** In bytes; null if the server did not say. */
  readonly total: number | null
}

/**
 * The chunks of a response. Reads from the network only when the caller asks for the next chunk. `signal` ends it. Any
 * other failure is an `ApiError`.
 */
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

/** If a proxy compresses, the header gives the compressed length. */
function totalOf(headers: Headers): number | null {
  const length = headers.get('content-length')
  return length === null || headers.has('content-encoding') ? null : Number(length)
}
