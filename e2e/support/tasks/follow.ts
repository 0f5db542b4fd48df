/** Follows tasks over the API. */
import type { CodingSession, PlatformEvent, RunEvent } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { WebSocket } from 'ws'
import type { Client } from '../api.ts'

/** Longest time of a task of these tests on a busy machine, in milliseconds. */
const TASK_MS = 240_000
/** Longest time until a CLI asks its model on a busy machine, in milliseconds. Its start takes seconds of one core. */
export const ASKED_MS = 200_000
const SESSIONS = '/coding-agents/sessions'

export const startTask = (client: Client, body: object): Promise<CodingSession> =>
  client.ok<CodingSession>('POST', SESSIONS, body)

export const taskOf = (client: Client, id: string): Promise<CodingSession> =>
  client.ok<CodingSession>('GET', `${SESSIONS}/${id}`)

/** The task when it has ended. */
export const endedTask = async (client: Client, id: string): Promise<CodingSession> => {
  let last: CodingSession | null = null
  return until(
    'the end of the task',
    async () => {
      last = await taskOf(client, id)
      return last.completedAt === null ? false : last
    },
    TASK_MS,
  ).catch((error: unknown) => {
    throw new Error(`the task did not end: ${JSON.stringify(last)}`, { cause: error })
  })
}

/** The status and the code of an error. */
export const refusalOf = async (
  client: Client,
  method: string,
  path: string,
  body?: object,
): Promise<[number, string]> => {
  const answer = await client.call<{ code: string }>(method, path, body)
  return [answer.status, answer.body.code]
}

/** All events after a number. Of an active task, those until its end. */
export const eventsOf = async (client: Client, id: string, after = 0): Promise<RunEvent[]> => {
  const response = await fetch(`${client.baseUrl}/api${SESSIONS}/${id}/events?after=${after}`, {
    headers: { authorization: `Bearer ${client.token}` },
  })
  if (!response.ok) throw new Error(`events: ${response.status} ${await response.text()}`)
  return (await response.text())
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RunEvent)
}

/** A page's socket for events. */
export interface EventSocket {
  readonly received: PlatformEvent[]
  /** The events of a task that came. */
  events(id: string): RunEvent[]
  subscribe(id: string, after?: number): void
  send(message: object): void
  close(): void
}

export const openEvents = async (client: Client): Promise<EventSocket> => {
  const socket = new WebSocket(`${client.baseUrl.replace('http', 'ws')}/api/events`, { origin: client.baseUrl })
  const received: PlatformEvent[] = []
  socket.on('error', () => undefined)
  socket.on('message', (data: Buffer) => received.push(JSON.parse(data.toString()) as PlatformEvent))
  socket.on('open', () => socket.send(JSON.stringify({ type: 'auth', token: client.token })))
  const send = (message: object): void => socket.send(JSON.stringify(message))
  await until('the socket to be let in', () => received.some(({ type }) => type === 'auth_success'))
  return {
    received,
    events: (id) =>
      received.flatMap((one) => (one.type === 'coding-agent:session:event' && one.sessionId === id ? [one.event] : [])),
    subscribe: (sessionId, after) =>
      send({ type: 'coding-agent:subscribe', sessionId, ...(after === undefined ? {} : { after }) }),
    send,
    close: () => socket.close(),
  }
}
