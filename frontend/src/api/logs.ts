import type { LogEntry } from '@slipway/protocol'
import { agentPath } from './agents.ts'
import { http } from './transport/client.ts'
import { piecesOf } from './transport/reading.ts'

export interface FollowLogOptions {
  /** Lines of the end to begin with. */
  tail: number
  /** Only what is newer than this line's `at`. */
  since: string | null
  signal: AbortSignal
}

/**
 * An agent's log as it comes: pieces of one or more lines, and empty ones that say "still here". Nothing more is read
 * from the network until the next piece is asked for.
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
