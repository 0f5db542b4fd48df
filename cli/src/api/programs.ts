/** Programs over the API: running one to its end. */
import type { IncomingMessage } from 'node:http'
import type { ExecBody, ExecResult } from '@slipway/protocol'
import { OutputTail } from '../output/tail.ts'
import { LineSplitter, objectIn } from '../ui/lines.ts'
import type { Client } from './client.ts'
import { errorOf, unexpected, unreachable } from './failures.ts'

/**
 * Resolves with the same result as the answer in JSON has. The outputs come line by line, because a proxy ends a
 * connection on which it hears nothing for long. The server sends a line every 15 s.
 */
export const runProgram = async (
  client: Client,
  agent: string,
  body: ExecBody,
  signal: AbortSignal,
): Promise<ExecResult> => {
  const answer = await client.stream('POST', `/agents/${encodeURIComponent(agent)}/exec`, {
    ...{ body, headers: { accept: 'application/x-ndjson' } },
    // The program may have to wait before it starts.
    ...{ signal, silenceMs: 0 },
  })
  const [stdout, stderr] = [new OutputTail(), new OutputTail()]
  for await (const line of linesOf(answer, client.url)) {
    // The server is trusted with the fields of each type.
    const value = objectIn(line) as Line | null
    switch (value?.type) {
      case 'stdout':
        stdout.append(value.text)
        break
      case 'stderr':
        stderr.append(value.text)
        break
      case 'error':
        throw errorOf(value.statusCode, {}, line)
      case 'exit': {
        const { exitCode, timedOut, outOfMemory, durationMs } = value
        const truncated = stdout.isTruncated || stderr.isTruncated
        return { exitCode, stdout: stdout.text, stderr: stderr.text, truncated, timedOut, outOfMemory, durationMs }
      }
      case undefined:
      case 'alive':
    }
  }
  throw unexpected(answer.statusCode ?? 0)
}

type Line =
  | { readonly type: 'stdout' | 'stderr'; readonly text: string }
  | { readonly type: 'alive' }
  | { readonly type: 'error'; readonly statusCode: number }
  | ({ readonly type: 'exit' } & Pick<ExecResult, 'exitCode' | 'timedOut' | 'outOfMemory' | 'durationMs'>)

async function* linesOf(answer: IncomingMessage, url: string): AsyncGenerator<string> {
  const lines = new LineSplitter()
  try {
    for await (const piece of answer as AsyncIterable<Buffer>) yield* lines.push(piece)
  } catch (cause) {
    throw unreachable(url, cause)
  }
}
