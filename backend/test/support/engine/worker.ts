/** An agent in which the tests run programs. */
import type { ExecBody, ExecResult } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { beforeAll, expect } from 'vitest'
import { IMAGE, useEngine } from './engine.ts'
import { addressOf } from '../server/listener.ts'
import { call, type Person } from '../people/people.ts'
import { as, newAgent, type Team, useTeam } from '../people/team.ts'

/** The address of its programs, below `/api`. */
export const PATH = '/agents/worker/exec'

export const shell = (script: string, options: Partial<ExecBody> = {}): ExecBody => ({
  argv: ['sh', '-c', script],
  ...options,
})

export interface Worker {
  team(): Team
  run(body: ExecBody, by?: Pick<Person, 'token'>): ReturnType<typeof call>
  /** What the owner gets, which must be a result. */
  result(body: ExecBody): Promise<ExecResult>
  /** Over a real connection, so that the client can leave it or read it slowly. */
  send(body: ExecBody, options?: { token?: string; accept?: string; signal?: AbortSignal }): Promise<Response>
  /** As the container lists them, independent of the platform. */
  commands(): Promise<string[]>
  /** Whether a command with the text runs. */
  isRunning(text: string): Promise<boolean>
  /** Waits until a command with the text runs, and until none does. */
  started(text: string): Promise<unknown>
  ended(text: string): Promise<unknown>
  /** Shares the agent with the colleague. */
  share(team: Team): Promise<unknown>
}

/** Call it at the top of a test file. The agent `worker` exists only inside of tests. */
export const useWorker = (): Worker => {
  const { namespace, runtime } = useEngine()
  const team = useTeam({ runtime, config: { namespace, images: [IMAGE] } })
  let workerId = ''
  beforeAll(async () => {
    const { json } = await as(team(), team().owner)('POST /agents?wait=true', newAgent('worker'))
    const agent = json<{ id: string; state: string }>()
    expect(agent.state).toBe('running')
    workerId = agent.id
  })

  const run: Worker['run'] = (body, by = team().owner) => call(team().app, `POST ${PATH}`, { token: by.token, body })
  const commands = async (): Promise<string[]> => {
    const [container] = (await runtime.list()).filter(({ agentId }) => agentId === workerId)
    return (await runtime.processes(container?.id ?? '')).map(({ command }) => command)
  }
  const isRunning = async (text: string): Promise<boolean> =>
    (await commands()).some((command) => command.includes(text))
  return {
    team,
    run,
    result: async (body) => {
      const response = await run(body)
      expect(response.statusCode, response.body).toBe(200)
      return response.json<ExecResult>()
    },
    send: async (body, options = {}) =>
      fetch(`http://${await addressOf(team())}/api${PATH}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${options.token ?? team().owner.token}`,
          'content-type': 'application/json',
          ...(options.accept === undefined ? {} : { accept: options.accept }),
        },
        body: JSON.stringify(body),
        ...(options.signal ? { signal: options.signal } : {}),
      }),
    commands,
    isRunning,
    started: (text) => until(text, () => isRunning(text)),
    ended: (text) => until(`the end of ${text}`, async () => !(await isRunning(text))),
    share: ({ owner, colleague }) => as(team(), owner)('POST /agents/worker/shares', { email: colleague.email }),
  }
}
