/** Tasks of a server process. Their CLI is a shell, and their prompt is its script. */
import type { AuditEvent, CodingSession, RunEvent, SignedIn } from '@slipway/protocol'
import { until } from '@slipway/testing'
import type { ServerProcess } from '../server/server-process.ts'
import { PASSWORD } from '../people/people.ts'

const SESSIONS = '/coding-agents/sessions'
/** Longest time of a task on a busy machine, in milliseconds. */
const TASK_MS = 120_000

const PROVIDER = { name: 'shell', display_name: 'Shell', binary: '/bin/sh', default_args: ['-c'] }

/** A user of the tasks. They stay signed in over restarts of the server. */
export class TaskUser {
  readonly #server: () => ServerProcess
  readonly #token: string

  private constructor(server: () => ServerProcess, token: string) {
    this.#server = server
    this.#token = token
  }

  /** A new user with a share of an agent of the admin. */
  static async of(server: () => ServerProcess, agent: string, name: string): Promise<TaskUser> {
    const email = `${name}@example.org`
    await server().call('POST', '/users', { email, role: 'user', password: PASSWORD })
    await server().call('POST', `/agents/${agent}/shares`, { email })
    const { body } = await server().call<SignedIn>('POST', '/auth/login', { email, password: PASSWORD })
    const user = new TaskUser(server, body.accessToken)
    await user.call('POST', '/cli-providers', PROVIDER)
    return user
  }

  call<T>(method: string, path: string, body?: object, headers: Readonly<Record<string, string>> = {}) {
    return this.#server().call<T>(method, path, body, { authorization: `Bearer ${this.#token}`, ...headers })
  }

  /** Sends the request of a task. */
  post(body: object, key?: string) {
    const headers = key === undefined ? {} : { 'idempotency-key': key }
    return this.call<CodingSession & { code?: string }>(
      'POST',
      SESSIONS,
      { provider: 'custom:shell', ...body },
      headers,
    )
  }

  /** Starts a task. Throws if it does not start. */
  async start(body: object): Promise<CodingSession> {
    const { status, body: task } = await this.post(body)
    if (status !== 201) throw new Error(`the task did not start: ${status} ${JSON.stringify(task)}`)
    return task
  }

  async task(id: string): Promise<CodingSession> {
    return (await this.call<CodingSession>('GET', `${SESSIONS}/${id}`)).body
  }

  /** The task when it has ended. */
  ended(id: string): Promise<CodingSession> {
    return until(
      'the end of the task',
      async () => {
        const task = await this.task(id)
        // A refused request has none.
        return typeof task.reason === 'string' && task
      },
      TASK_MS,
    )
  }

  /** Resolves when so many of its events are stored. */
  async printed(id: string, events: number): Promise<void> {
    await until(`${events} events`, async () => (await this.task(id)).lastSeq >= events)
  }

  /** The tasks that are active or ended a short time ago. */
  async tasks(): Promise<CodingSession[]> {
    return (await this.call<CodingSession[]>('GET', SESSIONS)).body
  }

  /** The texts of all events of a task that has ended. Throws if their numbers have a gap. */
  async texts(id: string): Promise<string[]> {
    const address = `${this.#server().address}/api${SESSIONS}/${id}/events`
    const response = await fetch(address, { headers: { authorization: `Bearer ${this.#token}` } })
    const lines = (await response.text()).split('\n').filter((line) => line !== '')
    const events = lines.map((line) => JSON.parse(line) as RunEvent)
    if (events.some(({ seq }, index) => seq !== index + 1))
      throw new Error(`the events have a gap: ${lines.join('\n')}`)
    return events.flatMap((event) => (event.type === 'text' ? [event.text] : []))
  }
}

/** The reasons of the ends of a session of a task in the audit log. */
export const recordedEnds = async (server: ServerProcess, sessionId: string): Promise<unknown[]> => {
  const { body } = await server.call<{ items: AuditEvent[] }>('GET', '/audit?action=task.ended&limit=100')
  return body.items.flatMap(({ detail }) => (detail['sessionId'] === sessionId ? [detail['reason']] : []))
}
