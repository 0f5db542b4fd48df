/** Creates, finds and removes containers. */
import type Docker from 'dockerode'
import { RuntimeError } from '../../errors.ts'
import type { ContainerInfo, ContainerSpec } from '../../port.ts'
import { tolerate, toRuntimeError, typed } from '../errors.ts'
import type { AgentNetwork } from './network.ts'
import { removeHomeGiver } from './home-owner.ts'
import { giveOwnUser } from './own-user.ts'
import { createOptions, fingerprint, type Names, OPEN_FILES } from './profile.ts'

/** Docker's time for "never". */
const ZERO_TIME = '0001-01-01T00:00:00Z'
/** How many containers are inspected in parallel at startup. Each takes one request. */
const INSPECTED_AT_ONCE = 8

/**
 * Whether the kernel killed a process of a container for memory just before the container ended. `endedAt` is in
 * milliseconds since 1970.
 */
type WasKilled = (containerId: string, endedAt: number) => boolean

const toInfo = (names: Names, found: Docker.ContainerInspectInfo, wasKilled: WasKilled): ContainerInfo => ({
  id: found.Id,
  agentId: found.Config.Labels[names.label.agent] ?? '',
  running: found.State.Running,
  exitCode: found.State.Running || found.State.StartedAt === ZERO_TIME ? null : found.State.ExitCode,
  oomKilled: found.State.OOMKilled || (!found.State.Running && wasKilled(found.Id, Date.parse(found.State.FinishedAt))),
  fingerprint: found.Config.Labels[names.label.fingerprint] ?? '',
  startedAt: found.State.StartedAt === ZERO_TIME ? null : new Date(found.State.StartedAt),
})

/** The error of runc if the engine itself may not have that many open files, as in a restricted sandbox. */
const LIMIT_REFUSED = /error setting rlimit type 7/

/** The fields of the engine's list of volumes that are used. */
interface VolumeList {
  readonly Volumes: readonly { readonly Labels: Readonly<Record<string, string>> }[] | null
}

/** Makes a catcher that returns null for one status of the engine, and rethrows everything else. */
const unless =
  (status: number) =>
  (error: Error & { statusCode?: number }): null => {
    if (error.statusCode !== status) throw error
    return null
  }

/** The part of the runtime for whole containers. */
export class Containers {
  readonly #docker: Docker
  readonly #names: Names
  readonly #network: AgentNetwork
  readonly #wasKilled: WasKilled
  #openFiles: number | null = OPEN_FILES

  constructor(docker: Docker, names: Names, network: AgentNetwork, wasKilled: WasKilled) {
    this.#docker = docker
    this.#names = names
    this.#network = network
    this.#wasKilled = wasKilled
  }

  async list(): Promise<ContainerInfo[]> {
    return typed(async () => {
      const all = await this.#docker.listContainers({
        all: true,
        filters: { label: [`${this.#names.label.managed}=true`] },
      })
      const infos: ContainerInfo[] = []
      for (let at = 0; at < all.length; at += INSPECTED_AT_ONCE) {
        const some = all.slice(at, at + INSPECTED_AT_ONCE)
        const found = await Promise.all(some.map((container) => this.#inspect(container.Id)))
        infos.push(...found.filter((info) => info !== null))
      }
      return infos
    })
  }

  /** The agent's container, or null. Throws `name_taken` if the container of that name is not this agent's. */
  async find(spec: Pick<ContainerSpec, 'agentName' | 'agentId'>): Promise<ContainerInfo | null> {
    const info = await typed(() => this.#inspect(this.#names.container(spec.agentName)))
    if (info && info.agentId !== spec.agentId)
      throw new RuntimeError('name_taken', `a container named ${this.#names.container(spec.agentName)} exists already`)
    return info
  }

  /** See `ContainerRuntime.launch`. */
  launch(spec: ContainerSpec): Promise<ContainerInfo> {
    return typed(async () => {
      const existing = await this.find(spec)
      // A container that never started is left from a server that was killed, and may lack its user and home.
      if (existing?.startedAt && existing.fingerprint === fingerprint(this.#names, spec)) {
        const started = await this.#startAgain(existing.id)
        if (started) return started
      }
      await this.#docker.getImage(spec.image).inspect()
      await this.#network.ensure()
      if (existing) await this.remove(existing.id)
      const isNew = await this.#ensureHome(spec)
      try {
        return await this.#createAndStart(spec)
      } catch (error) {
        if (isNew) await this.removeHome(spec).catch(() => undefined)
        throw error
      }
    })
  }

  async #createAndStart(spec: ContainerSpec): Promise<ContainerInfo> {
    const openFiles = this.#openFiles
    const { id } = await this.#docker.createContainer(createOptions(this.#names, spec, openFiles))
    try {
      await giveOwnUser(this.#docker, this.#names, spec, id)
      return await this.#start(id)
    } catch (error) {
      await this.remove(id).catch(() => undefined)
      if (openFiles === null || !LIMIT_REFUSED.test(toRuntimeError(error).message)) throw error
      this.#openFiles = null
      return this.#createAndStart(spec)
    }
  }

  /** Null if the container is gone, or its network is. Then it is created anew. */
  async #startAgain(id: string): Promise<ContainerInfo | null> {
    try {
      return await this.#start(id)
    } catch (error) {
      if (toRuntimeError(error).code !== 'not_found') throw error
      return null
    }
  }

  async #start(id: string): Promise<ContainerInfo> {
    // 304: it is running already.
    await this.#docker.getContainer(id).start().catch(unless(304))
    const info = await this.#inspect(id)
    if (!info) throw new RuntimeError('engine_error', 'the container was removed as soon as it was started')
    return info
  }

  /** Whether the home was created by this call. A home of another agent is refused. */
  async #ensureHome(spec: ContainerSpec): Promise<boolean> {
    const name = this.#names.home(spec.agentName)
    const owner = await this.#ownerOfHome(spec.agentName)
    if (owner !== null && owner !== spec.agentId)
      throw new RuntimeError('name_taken', `a volume named ${name} exists already`)
    if (owner !== null) return false
    const labels = { [this.#names.label.managed]: 'true', [this.#names.label.agent]: spec.agentId }
    await this.#docker.createVolume({ Name: name, Labels: labels })
    return true
  }

  async stop(id: string, graceSeconds: number): Promise<void> {
    await tolerate(['not_found'], () => this.#docker.getContainer(id).stop({ t: graceSeconds }).catch(unless(304)))
  }

  async remove(id: string): Promise<void> {
    await tolerate(['not_found'], () => this.#docker.getContainer(id).remove({ force: true, v: true }))
  }

  /** See `ContainerRuntime.homes`. */
  homes(): Promise<ReadonlySet<string>> {
    return typed(async () => {
      const { label } = this.#names
      const options = { filters: { label: [`${label.managed}=true`] } }
      // An engine without a volume may answer null.
      const { Volumes } = (await this.#docker.listVolumes(options)) as VolumeList
      return new Set((Volumes ?? []).map(({ Labels }) => Labels[label.agent] ?? ''))
    })
  }

  async removeHome({ agentName, agentId }: Pick<ContainerSpec, 'agentName' | 'agentId'>): Promise<void> {
    await tolerate(['not_found'], async () => {
      if ((await this.#ownerOfHome(agentName)) !== agentId) return
      await removeHomeGiver(this.#docker, this.#names, { agentName, agentId })
      await this.#docker.getVolume(this.#names.home(agentName)).remove()
    })
  }

  /** The agent that owns the volume of that name: empty if the volume is not a home, null if there is none. */
  async #ownerOfHome(agentName: string): Promise<string | null> {
    const volume = await this.#docker.getVolume(this.#names.home(agentName)).inspect().catch(unless(404))
    const labels = volume?.Labels as Record<string, string> | null | undefined
    return volume && (labels?.[this.#names.label.agent] ?? '')
  }

  async #inspect(idOrName: string): Promise<ContainerInfo | null> {
    const found = await this.#docker.getContainer(idOrName).inspect().catch(unless(404))
    return found && toInfo(this.#names, found, this.#wasKilled)
  }
}
