/** `slipway logs` */
import { setTimeout as pause } from 'node:timers/promises'
import type { LogEntry } from '@slipway/protocol'
import type { Client } from '../api/client.ts'
import { EXIT, SlipwayError } from '../api/errors.ts'
import { command, wholeNumber } from '../arguments/command.ts'
import { plainLine } from '../output/plain.ts'
import { LineSplitter, objectIn } from '../ui/lines.ts'

/** The server sends an empty line every 15 s. After a longer silence the connection is lost. Milliseconds. */
const SILENCE_MS = 45_000
/** Pause before the next connection, in milliseconds. */
const AGAIN_MS = 1_000
/** For so long a server that does not answer is looked for, in milliseconds. */
const GIVE_UP_MS = 10 * 60_000

export const logs = command({
  name: 'logs',
  about: 'Show the log of an agent',
  positionals: [{ name: 'AGENT', kind: 'agent' }],
  options: {
    follow: { type: 'boolean', short: 'f', about: 'Wait for more' },
    tail: { type: 'string', value: 'LINES', about: 'How many lines of the end; 200 by default' },
    json: { type: 'boolean', about: 'JSON, with --follow one entry in each line' },
  },
  run: async ({ arguments: [agent = ''], options }, { client, out, interrupted }) => {
    const path = `/agents/${encodeURIComponent(agent)}/logs`
    const tail = wholeNumber('tail', options.tail)
    const server = await client()
    if (options.follow === true) {
      const show = (entry: LogEntry): void => (options.json === true ? out.json(entry) : out.say(inWords(entry)))
      await followLog(server, path, tail, { show, signal: interrupted })
    }
    const log = await server.json<{ text: string }>('GET', path, { query: { tail }, signal: interrupted })
    if (options.json === true) out.json(log)
    else out.say(log.text.trimEnd())
    return EXIT.done
  },
})

const inWords = ({ at, source, text }: LogEntry): string =>
  `${at.slice(0, 19)}Z ${source === 'platform' ? '●' : source === 'stderr' ? '!' : ' '} ${plainLine(text)}`

interface Follower {
  readonly show: (entry: LogEntry) => void
  readonly signal: AbortSignal
}

/** Follows until it is interrupted. After a lost connection it goes on behind the last entry. */
const followLog = async (
  client: Client,
  path: string,
  tail: number | undefined,
  follower: Follower,
): Promise<never> => {
  const { show, signal } = follower
  let since: string | undefined
  let lostAt: number | null = null
  for (;;) {
    try {
      const query = since === undefined ? { tail } : { since }
      const stream = await client.stream('GET', `${path}/follow`, { query, signal, silenceMs: SILENCE_MS })
      const lines = new LineSplitter()
      for await (const piece of stream as AsyncIterable<Buffer>) {
        lostAt = null
        for (const line of lines.push(piece)) {
          // The server is trusted with the fields of an entry.
          const entry = objectIn(line) as LogEntry | null
          if (entry === null) continue
          since = entry.at
          show(entry)
        }
      }
    } catch (error) {
      if (signal.aborted || (error instanceof SlipwayError && !error.isTransient)) throw error
      lostAt ??= Date.now()
      if (Date.now() - lostAt > GIVE_UP_MS) throw error
    }
    await pause(AGAIN_MS, undefined, { signal })
  }
}
