/** The container runtime on Docker Engine. No other code calls dockerode. */
import Docker from 'dockerode'
import { RuntimeError } from '../errors.ts'
import type {
  ContainerInfo,
  ContainerProcess,
  ContainerRuntime,
  ContainerSpec,
  EngineComponent,
  ProgramStream,
  ContainerUsage,
  RootFile,
  LogLine,
  RunOptions,
  RunResult,
  RuntimeEvent,
} from '../port.ts'
import type { Attached, Offsets, Program, ProgramSpec } from '../program.ts'
import { Containers } from './container/containers.ts'
import { componentsOf, diskUseOf, type RawDiskUse } from './facts/engine-facts.ts'
import { typed } from './errors.ts'
import { type EngineAgent, newEngineAgent } from './engine/engine-agent.ts'
import { EventStream, type Heartbeat, HEARTBEAT } from './engine/events.ts'
import { KernelLog } from './facts/kernel-log.ts'
import { followLogs, readLogs } from './facts/logs.ts'
import { parseProcesses } from './facts/processes.ts'
import { HolderBinary } from './held/binary.ts'
import { AgentNetwork } from './container/network.ts'
import { fingerprint, namesFor, type Names } from './container/profile.ts'
import { runInContainer } from './program/run.ts'
import { putRootFile } from './program/root-file.ts'
import { scriptArgv } from './scripts.ts'
import { streamInContainer } from './program/stream.ts'
import { KILLED, Programs } from './program/programs.ts'
import { parseFigures, type RawStats, toUsage, wasMeasured } from './facts/usage.ts'

/** Longest wait for the beginning of a response, in milliseconds. Removing a home of many gigabytes takes a while. */
const ANSWER_MS = 120_000
/** Time between asking a process to end and killing it, in seconds. */
const END_GRACE_SECONDS = 5
/** Room for 1,024 processes of at most 1.6 kB each, in bytes. */
const LISTING_BYTES = 2_097_152

/** Fields of dockerode's client that its types lack. */
interface Modem {
  readonly protocol?: string
  /** Undefined for an engine that is reached over the network. */
  readonly socketPath?: unknown
  agent?: EngineAgent
}

/** Settings of an installation or a test. */
export interface RuntimeSettings {
  readonly heartbeat?: Heartbeat
  /** The range of addresses from which the agents' network takes its subnet, as "address/prefix". */
  readonly subnetPool?: string
  /** Image that contains the holder of programs. Without it, programs run as Docker execs, without a holder. */
  readonly holderImage?: string
}

export class DockerRuntime implements ContainerRuntime {
  readonly #docker: Docker
  readonly #agent: EngineAgent
  /** A separate client for checks whether the engine responds. */
  readonly #watcher: Docker
  readonly #heartbeat: Heartbeat
  /** A client without a timeout, for responses that begin only when there is data. */
  readonly #patient: Docker
  readonly #names: Names
  readonly #network: AgentNetwork
  readonly #containers: Containers
  readonly #programs: Programs
  readonly #kernelLog: KernelLog | null
  #events: EventStream | null = null

  /** Without options, dockerode uses DOCKER_HOST, or else the local socket. */
  constructor(
    namespace: string,
    options?: Docker.DockerOptions,
    { heartbeat = HEARTBEAT, subnetPool, holderImage }: RuntimeSettings = {},
  ) {
    const client = (connectionTimeout: number): Docker =>
      new Docker({ ...options, connectionTimeout } as Docker.DockerOptions)
    this.#docker = client(ANSWER_MS)
    const modem = this.#docker.modem as Modem
    this.#agent = newEngineAgent(modem.protocol)
    modem.agent = this.#agent
    this.#watcher = client(heartbeat.timeoutMs)
    this.#heartbeat = heartbeat
    this.#patient = new Docker(options)
    this.#names = namesFor(namespace)
    this.#network = new AgentNetwork(this.#docker, this.#names, subnetPool)
    this.#containers = new Containers(this.#docker, this.#names, this.#network, (id, at) => this.#explains(id, at))
    // A remote engine has another kernel.
    this.#kernelLog = modem.socketPath === undefined ? null : KernelLog.open()
    this.#programs = new Programs({
      docker: this.#docker,
      holder: holderImage === undefined ? null : new HolderBinary(this.#docker, holderImage),
      run: (id, what) => this.run(id, what),
      explains: (id, at) => this.#explains(id, at),
    })
  }

  get available(): boolean {
    return this.#events?.connected ?? false
  }

  get agentSubnets(): readonly string[] {
    return this.#network.subnets
  }

  async watch(listener: (event: RuntimeEvent) => void): Promise<void> {
    this.#events = new EventStream({
      docker: this.#watcher,
      names: this.#names,
      heartbeat: this.#heartbeat,
      onSilent: () => this.#agent.shut(),
      emit: (event) => {
        if (event.type === 'exec_died') this.#programs.execEnded(event.execId, event.exitCode)
        if (event.type === 'connected') this.#connected()
        if (event.type === 'started') this.#started(event.containerId)
        listener(event)
        if (event.type !== 'died' || event.exitCode !== KILLED) return
        const { agentId, containerId } = event
        if (this.#explains(containerId, Date.now())) listener({ type: 'oom', agentId, containerId })
      },
    })
    await this.#events.start()
  }

  #connected(): void {
    this.#agent.reopen()
    void this.#network.refresh()
    this.#programs.connected()
  }

  /** The agents' network may have been recreated meanwhile, with another subnet. */
  #started(containerId: string): void {
    this.#kernelLog?.started(containerId)
    void this.#network.refresh()
  }

  close(): Promise<void> {
    this.#events?.stop()
    this.#kernelLog?.close()
    return Promise.resolve()
  }

  list(): Promise<ContainerInfo[]> {
    return this.#containers.list()
  }

  components(): Promise<EngineComponent[]> {
    return typed(async () => componentsOf(await this.#docker.version()))
  }

  diskUse(): Promise<ReadonlyMap<string, number>> {
    return typed(async () => diskUseOf(this.#names, (await this.#docker.df()) as RawDiskUse))
  }

  find(spec: Pick<ContainerSpec, 'agentName' | 'agentId'>): Promise<ContainerInfo | null> {
    return this.#containers.find(spec)
  }

  fingerprint(spec: ContainerSpec): string {
    return fingerprint(this.#names, spec)
  }

  launch(spec: ContainerSpec): Promise<ContainerInfo> {
    return this.#containers.launch(spec)
  }

  stop(containerId: string, graceSeconds: number): Promise<void> {
    return this.#containers.stop(containerId, graceSeconds)
  }

  remove(containerId: string): Promise<void> {
    return this.#containers.remove(containerId)
  }

  homes(): Promise<ReadonlySet<string>> {
    return this.#containers.homes()
  }

  removeHome(spec: Pick<ContainerSpec, 'agentName' | 'agentId'>): Promise<void> {
    return this.#containers.removeHome(spec)
  }

  run(containerId: string, options: RunOptions): Promise<RunResult> {
    return runInContainer(this.#docker, containerId, options)
  }

  stream(containerId: string, argv: readonly string[]): Promise<ProgramStream> {
    return streamInContainer(this.#docker, containerId, argv)
  }

  putRootFile(containerId: string, text: string): Promise<RootFile> {
    return putRootFile(this.#docker, containerId, text)
  }

  start(containerId: string, spec: ProgramSpec): Promise<Program> {
    return this.#programs.start(containerId, spec)
  }

  held(containerId: string): Promise<string[]> {
    return this.#programs.held(containerId)
  }

  attach(containerId: string, session: string, from: Offsets): Promise<Attached | null> {
    return this.#programs.attach(containerId, session, from)
  }

  hangUp(containerId: string, leader: string): Promise<void> {
    return this.#programs.hangUp(containerId, leader)
  }

  async processes(containerId: string): Promise<ContainerProcess[]> {
    const { exitCode, stdout } = await this.run(containerId, {
      argv: scriptArgv('processes'),
      timeoutMs: 15_000,
      maxOutputBytes: LISTING_BYTES,
    })
    // For example, if the container cannot have more processes. Half a list could hide the process that the user looks
    // for.
    if (exitCode !== 0) throw new RuntimeError('engine_error', 'the processes could not be listed')
    return parseProcesses(stdout.toString('latin1'), new Date())
  }

  async endProcess(containerId: string, pid: number): Promise<boolean> {
    const argv = scriptArgv('end-process', String(pid), String(END_GRACE_SECONDS))
    const timeoutMs = (END_GRACE_SECONDS + 10) * 1000
    const { exitCode } = await this.run(containerId, { argv, timeoutMs, maxOutputBytes: 1024 })
    return exitCode === 0
  }

  logs(containerId: string, tail: number): Promise<LogLine[]> {
    return readLogs(this.#docker, containerId, tail)
  }

  followLogs(
    containerId: string,
    options: { readonly since: string | null; readonly signal: AbortSignal },
  ): AsyncIterable<LogLine[]> {
    return followLogs(this.#patient, containerId, options)
  }

  usage(containerId: string): Promise<ContainerUsage> {
    return typed(async () => {
      // Without this, the engine takes a second sample a second later, to compute a share of the CPU.
      const oneLook = { stream: false, 'one-shot': true } as const
      const raw = (await this.#docker.getContainer(containerId).stats(oneLook)) as RawStats
      if (wasMeasured(raw)) return toUsage(raw)
      const options = { argv: scriptArgv('figures'), timeoutMs: 15_000, maxOutputBytes: 10_000 }
      const { exitCode, stdout } = await this.run(containerId, options)
      if (exitCode !== 0) throw new RuntimeError('engine_error', 'what the container uses could not be measured')
      return parseFigures(stdout.toString('latin1'))
    })
  }

  /** A container that ended has lost its counters. This machine's kernel log may still have the cause. */
  #explains(containerId: string, endedAt: number): boolean {
    return this.#kernelLog?.explains(containerId, endedAt) ?? false
  }
}
