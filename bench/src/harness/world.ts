/** An installation for one run: namespace, data folder, first admin. Nothing of it is left afterwards. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Agent } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { Api } from './api.ts'
import { Backend } from './backend.ts'
import type { Cleanup } from './cleanup.ts'
import { containerOf, removeAll } from './engine.ts'

/** The image of the agents. */
export const IMAGE = process.env.SLIPWAY_TEST_IMAGE ?? 'slipway-developer:latest'
const ADMIN = { email: 'admin@bench.example', password: randomBytes(12).toString('hex') }
/** Longest time for the system agent's start or failure, in milliseconds. */
const SETTLED_WITHIN_MS = 60_000
/** The prefix is short, because the platform appends its own names. All worlds of a run share it. */
const PREFIX = (process.env.SLIPWAY_NAMESPACE ?? `slipway-bench-${randomBytes(4).toString('hex')}`).slice(0, 24)

export type AgentSettings = Partial<Pick<Agent, 'runtime' | 'keepSeconds' | 'record'>>

export class World {
  readonly namespace: string
  /** The backend's data folder. */
  readonly dataDir: string
  readonly #env: Record<string, string>
  readonly #nodeFlags: readonly string[]
  #backend: Backend | null = null

  private constructor(namespace: string, dataDir: string, env: Record<string, string>, nodeFlags: readonly string[]) {
    this.namespace = namespace
    this.dataDir = dataDir
    this.#env = env
    this.#nodeFlags = nodeFlags
  }

  /** `name` is a short word. The backend gets `env`, and its Node gets `nodeFlags`. */
  static async make(
    cleanup: Cleanup,
    name: string,
    env: Record<string, string> = {},
    nodeFlags: readonly string[] = [],
  ): Promise<World> {
    const namespace = `${PREFIX}-${name}`
    const folder = await mkdtemp(join(tmpdir(), `${namespace}-`))
    cleanup.add(() => rm(folder, { recursive: true, force: true }))
    // Runs again after the backend has stopped, because it may have made something during the interruption.
    cleanup.add(() => removeAll(namespace))
    const dataDir = join(folder, 'data')
    const settings = {
      SLIPWAY_DATA_DIR: dataDir,
      SLIPWAY_HOST: '127.0.0.1',
      SLIPWAY_PORT: '0',
      SLIPWAY_NAMESPACE: namespace,
      SLIPWAY_IMAGES: IMAGE,
      SLIPWAY_ADMIN_EMAIL: ADMIN.email,
      SLIPWAY_ADMIN_PASSWORD: ADMIN.password,
      ...env,
    }
    const world = new World(namespace, dataDir, settings, nodeFlags)
    cleanup.add(() => world.stop())
    // Removes the containers first. Then a stop in order has no sessions to wait for.
    cleanup.add(() => removeAll(namespace))
    await world.start()
    return world
  }

  get backend(): Backend {
    if (!this.#backend) throw new Error('no backend runs')
    return this.#backend
  }

  async start(): Promise<void> {
    this.#backend = await Backend.start(this.#env, this.#nodeFlags)
  }

  /** Ends the backend as a crash does. */
  async kill(): Promise<void> {
    await this.backend.kill()
    this.#backend = null
  }

  async stop(): Promise<void> {
    await this.#backend?.stop()
    this.#backend = null
  }

  /** The account that signs in at its pages. */
  get admin(): { readonly email: string; readonly password: string } {
    return ADMIN
  }

  signIn(): Promise<Api> {
    return Api.signIn(this.backend.url, ADMIN.email, ADMIN.password)
  }

  /** The backend first makes the system agent. Nothing is measured meanwhile. */
  async settled(api: Api): Promise<void> {
    const isSettled = async (): Promise<boolean> => {
      const { state } = await api.get<Agent>('/system-agent')
      return state === 'running' || state === 'failed'
    }
    await until('the system agent', isSettled, SETTLED_WITHIN_MS)
  }

  /**
   * Makes an agent, waits until it runs, and answers its container's id. By default its sessions do not wait, so those
   * of one figure do not run during the next.
   */
  async addAgent(api: Api, name: string, settings: AgentSettings = {}): Promise<string> {
    const body = { name, runtime: 'claude-code', keepSeconds: 0, ...settings }
    const agent = await api.post<Agent>('/agents?wait=true', body)
    if (agent.state !== 'running') throw new Error(`agent ${name} is ${agent.state}: ${agent.reason?.message ?? ''}`)
    return containerOf(this.namespace, name)
  }
}
