/** Users who run tasks with a CLI of the bench's own, in real agents. */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type CodingSession, RUN_TIMEOUT_SECONDS_MAX, RUNS_PER_USER } from '@slipway/protocol'
import { until } from '@slipway/testing'
import type { FollowTarget } from '../../client/follow.ts'
import { Api } from '../api.ts'
import { runInside } from '../engine.ts'
import type { World } from '../world.ts'

const CLI = readFileSync(new URL('printing-cli.py', import.meta.url))
/** Where the CLI is in an agent. */
export const BINARY = '/home/developer/printing-cli.py'
const PROVIDER = 'printing'
const SESSIONS = '/coding-agents/sessions'
/** Requests that start or look at tasks at the same time. */
const AT_ONCE = 4
/** Longest time of the tasks of a figure, in milliseconds. */
const ENDED_WITHIN_MS = 300_000

/** Settings of a server for figures of fifty tasks in few agents. */
export const MANY_TASKS = { SLIPWAY_MAX_TASKS: '100', SLIPWAY_MAX_TASKS_PER_AGENT: '100' }

/** What the CLI is told. */
export interface Order {
  readonly lines: number
  readonly everyMs?: number
  /** Sentences of each line. 6 is about the length of a line of Claude Code. */
  readonly length?: number
  /** A file that each of the tasks waits for before its first line. */
  readonly gate?: string
}

/** A task, and the token of its user. */
export interface Task {
  readonly id: string
  readonly token: string
}

/** What one task of a team needs: the token of its user, and its agent. */
interface TeamSeat {
  readonly token: string
  readonly agent: string
}

/** Puts the CLI into an agent. */
export const installCli = async (containerId: string): Promise<void> => {
  const script = `printf %s "$1" | base64 -d > ${BINARY} && chmod 755 ${BINARY}`
  await runInside(containerId, ['sh', '-c', script, 'sh', CLI.toString('base64')])
}

/** Makes a user's provider of the CLI. */
export const addProvider = (api: Api): Promise<unknown> =>
  api.post('/cli-providers', {
    name: PROVIDER,
    display_name: 'Printing',
    binary: BINARY,
    prompt_via: 'stdin',
    output_format: 'stream-json',
  })

/** The API token of a new user, which outlives a restart of the server. */
const addUser = async (admin: Api, index: number, agent: string): Promise<string> => {
  const person = { email: `tasks-${index}@bench.example`, password: randomBytes(12).toString('hex') }
  await admin.post('/users', { ...person, role: 'user' })
  await admin.post(`/agents/${agent}/shares`, { email: person.email })
  const own = await Api.signIn(admin.base, person.email, person.password)
  await addProvider(own)
  const scopes = ['agents:read', 'tasks:read', 'tasks:write']
  return (await own.post<{ token: string }>('/tokens', { name: 'bench', scopes })).token
}

/** The body of a request for a task. */
export const taskBody = (agent: string, order: Order): object => ({
  agent,
  provider: `custom:${PROVIDER}`,
  prompt: JSON.stringify(order),
  timeout_seconds: RUN_TIMEOUT_SECONDS_MAX,
})

const eachOf = async <T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> => {
  const waiting = [...items.entries()]
  const done: R[] = []
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) done[next[0]] = await work(next[1])
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return done
}

export class TaskTeam {
  readonly #world: World
  readonly #places: readonly TeamSeat[]
  readonly #containers: readonly string[]

  private constructor(world: World, places: readonly TeamSeat[], containers: readonly string[]) {
    this.#world = world
    this.#places = places
    this.#containers = containers
  }

  /** Users for so many tasks at once, in turns in so many new agents. */
  static async make(
    world: World,
    admin: Api,
    counts: { readonly tasks: number; readonly agents: number },
  ): Promise<TaskTeam> {
    const agents = Array.from({ length: counts.agents }, (_, index) => `tasks-${index}`)
    const containers: string[] = []
    for (const agent of agents) containers.push(await world.addAgent(admin, agent))
    for (const container of containers) await installCli(container)
    const places: TeamSeat[] = []
    for (let user = 0; places.length < counts.tasks; user += 1) {
      const agent = agents[user % agents.length] ?? ''
      const token = await addUser(admin, user, agent)
      for (let task = 0; task < RUNS_PER_USER; task += 1) places.push({ token, agent })
    }
    return new TaskTeam(world, places.slice(0, counts.tasks), containers)
  }

  /** Starts one task in each of the first places, and resolves when their CLIs run. */
  async start(order: Order, count = this.#places.length): Promise<Task[]> {
    return eachOf(this.#places.slice(0, count), async ({ token, agent }) => {
      const { id } = await this.#as(token).post<CodingSession>(SESSIONS, taskBody(agent, order))
      return { id, token }
    })
  }

  /** Does something once as the user of each place, a few at the same time. */
  asEach<T>(work: (api: Api, agent: string) => Promise<T>): Promise<T[]> {
    return eachOf(this.#places, ({ token, agent }) => work(this.#as(token), agent))
  }

  /** What a client needs to follow tasks. */
  targets(tasks: readonly Task[]): FollowTarget[] {
    const url = `${this.#world.backend.url.replace('http', 'ws')}/api/events`
    return tasks.map(({ id, token }) => ({ url, token, sessionId: id }))
  }

  /** Runs a program once for each of the places, all at the same time, in the containers of their agents. */
  async inEachPlace(argv: readonly string[]): Promise<void> {
    const containers = this.#places.map((_, index) => this.#containers[index % this.#containers.length] ?? '')
    await Promise.all(containers.map((container) => runInside(container, argv)))
  }

  /** Makes the file that tasks wait for. */
  async open(gate: string): Promise<void> {
    await Promise.all(this.#containers.map((container) => runInside(container, ['touch', gate])))
  }

  /** Resolves when all of them have ended well. */
  async ended(tasks: readonly Task[]): Promise<void> {
    for (const { id, token } of tasks) {
      const isOver = async (): Promise<CodingSession | null> => {
        const task = await this.#as(token).get<CodingSession>(`${SESSIONS}/${id}`)
        return task.completedAt === null ? null : task
      }
      const { reason } = await until('the end of a task', isOver, ENDED_WITHIN_MS)
      if (reason !== 'completed') throw new Error(`a task ended as ${reason ?? 'nothing'}`)
    }
  }

  #as(token: string): Api {
    return new Api(this.#world.backend.url, token)
  }
}
