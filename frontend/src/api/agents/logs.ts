import type { LogEntry } from '@slipway/protocol'
import { agentPath } from './agents.ts'
import { http } from '../transport/client.ts'
import { piecesOf } from '../transport/reading.ts'

export interface FollowLogOptions {
  /** How many lines of the log's end to send first. */
  tail: number
  /** Only lines newer than this line's `at`. */
  since: string | null
  signal: AbortSignal
}

/**
 * An agent's log, live, in chunks of one or more lines. Empty chunks are keep-alives. Reads from the network only when
 * the caller asks for the next chunk.
 */
export async function* followLog(key: string, { tail, since, signal }: FollowLogOptions): AsyncGenerator<LogEntry[]> {
  const query = new URLSearchParams({ tail: String(tail) })
  if (since !== null) query.set('since', since)
  const response = await http.open(`${agentPath(key)}/logs/follow?${query}`, signal)
  const decoder = new TextDecoder()
  let rest = ''
  for await (const piece of piecesOf(response, signal)) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield lines.filter((line) => line !== '').map((line) => JSON.parse(line) as LogEntry)
  }
}
