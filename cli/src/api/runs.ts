/** Tasks over the API: starting one, and following its events over lost connections. */
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { CodingSession, CreateCodingSession, RunEvent } from '@slipway/protocol'
import { isObject, LineSplitter, objectIn } from '../ui/lines.ts'
import { GIVE_UP_MS, retryMs } from './again.ts'
import type { Client } from './client.ts'
import { SlipwayError } from './errors.ts'

const SESSIONS = '/coding-agents/sessions'

/** The path of a task, or of a part of it. */
export const pathOfRun = (id: string, part = ''): string => `${SESSIONS}/${encodeURIComponent(id)}${part}`

/**
 * How often a start is sent again. All pauses together are longer than a restart of the server, and than almost every start
 * takes.
 */
const STARTS_AGAIN = 6
/** The server sends a heartbeat every 15 s. After a longer silence the connection is lost. Milliseconds. */
const SILENCE_MS = 45_000

/** Starts a task, once. */
export const startRun = (client: Client, body: CreateCodingSession, signal: AbortSignal): Promise<CodingSession> =>
  sentOnce<CodingSession>(client, SESSIONS, body, signal)

/**
 * Sends what must arrive once: a request without an answer is sent again with the same key, also while the server is still
 * at work on the first try.
 */
export const sentOnce = async <T>(client: Client, path: string, body: object, signal: AbortSignal): Promise<T> => {
  const headers = { 'idempotency-key': randomUUID() }
  for (let attempt = 0; ; attempt++) {
    try {
      return await client.json<T>('POST', path, { body, headers, signal, silenceMs: 0 })
    } catch (error) {
      const isAnswered =
        !(error instanceof SlipwayError) || !(error.isTransient || error.code === 'REQUEST_IN_PROGRESS')
      if (isAnswered || attempt >= STARTS_AGAIN || signal.aborted) throw error
      await pause(retryMs(attempt, error), undefined, { signal })
    }
  }
}

export const runOf = (client: Client, id: string, signal: AbortSignal): Promise<CodingSession> =>
  client.json<CodingSession>('GET', pathOfRun(id), { signal })

/** A line of the stream. The server is trusted with the fields of each type. */
const eventIn = (line: string): RunEvent | null => {
  const value = objectIn(line)
  return isObject(value) && typeof value.seq === 'number' && typeof value.type === 'string'
    ? (value as unknown as RunEvent)
    : null
}

/** All events after a number, each once, until the task has ended. It reconnects by itself. */
export async function* followRun(
  client: Client,
  id: string,
  { after = 0, signal }: { readonly after?: number; readonly signal: AbortSignal },
): AsyncGenerator<RunEvent> {
  let last = after
  let attempt = 0
  let lostAt: number | null = null
  for (;;) {
    try {
      const stream = await client.stream('GET', pathOfRun(id, '/events'), {
        ...{ query: { after: last }, headers: { accept: 'application/x-ndjson' } },
        ...{ signal, silenceMs: SILENCE_MS },
      })
      const lines = new LineSplitter()
      for await (const piece of stream as AsyncIterable<Buffer>) {
        attempt = 0
        lostAt = null
        for (const event of lines.push(piece).map(eventIn)) {
          if (event === null || event.seq <= last) continue
          last = event.seq
          yield event
        }
      }
      const run = await runOf(client, id, signal)
      if (run.completedAt !== null && run.lastSeq <= last) return
    } catch (error) {
      if (signal.aborted || (error instanceof SlipwayError && !error.isTransient)) throw error
      lostAt ??= Date.now()
      if (Date.now() - lostAt > GIVE_UP_MS) throw error
    }
    await pause(retryMs(attempt++), undefined, { signal })
  }
}
