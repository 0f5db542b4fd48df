/** The port to containers. `docker/` implements it. Nothing above it knows dockerode. Programs are in `program.ts`. */
import type { Readable, Writable } from 'node:stream'
import type { Attached, Offsets, Program, ProgramSpec } from './program.ts'

/** What a caller may choose for a container. The adapter sets everything else, alike for all. */
export interface ContainerSpec {
  /** Its agent. The container, its volume and its labels are named after it. */
  readonly agentId: string
  readonly agentName: string
  readonly ownerId: string | null
  readonly isSystem: boolean
  /** The user id that all of it runs as, of no other agent. Null: the id 1000, which agents of earlier versions share. */
  readonly uid: number | null
  readonly image: string
  /** CPUs; fractions are allowed. */
  readonly cpus: number
  /** Memory in MiB. There is no swap. */
  readonly memoryMb: number
}

/** The current state of a container. */
export interface ContainerInfo {
  readonly id: string
  readonly agentId: string
  readonly running: boolean
  /** Null while it runs, and if it never ran. */
  readonly exitCode: number | null
  readonly oomKilled: boolean
  /** Fingerprint of the specification from which it was created. */
  readonly fingerprint: string
  /** When it last started; null: never. */
  readonly startedAt: Date | null
}

/** An event of the engine. */
export type RuntimeEvent =
  | { readonly type: 'connected' }
  | { readonly type: 'disconnected' }
  | { readonly type: 'started'; readonly agentId: string; readonly containerId: string }
  | { readonly type: 'oom'; readonly agentId: string; readonly containerId: string }
  | {
      readonly type: 'died'
      readonly agentId: string
      readonly containerId: string
      readonly exitCode: number
    }
  | { readonly type: 'removed'; readonly agentId: string; readonly containerId: string }
  | { readonly type: 'exec_died'; readonly execId: string; readonly exitCode: number }

/** Options for a program that runs to its end without a terminal. */
export interface RunOptions {
  readonly argv: readonly string[]
  /** Written to its standard input, which is then closed. */
  readonly input?: Uint8Array
  /** Longest run time, in milliseconds. Then the call fails with `timed_out`, but the program goes on. */
  readonly timeoutMs: number
  /** Most bytes kept of each output. The rest is dropped. */
  readonly maxOutputBytes: number
}

export interface RunResult {
  readonly exitCode: number
  readonly stdout: Buffer
  readonly stderr: Buffer
}

/** A program whose input and output are too large for memory; see {@link ContainerRuntime.stream}. */
export interface ProgramStream {
  /** Its standard output. If it is not read, the program blocks. */
  readonly output: Readable
  /** Its standard input. If it is ended or destroyed, the program reads the end. */
  readonly input: Writable
  /** Resolves once both outputs were read to their end. Rejects with a `RuntimeError` if the engine goes away. */
  readonly exit: Promise<ProgramEnd>
  /** Detaches at once. The program reads the end of its input, and its output is dropped. */
  close(): void
}

export interface ProgramEnd {
  readonly exitCode: number
  /** The beginning of its standard error. */
  readonly stderr: Buffer
}

/** A file of root's in a container; see {@link ContainerRuntime.putRootFile}. */
export interface RootFile {
  readonly path: string
  /** Removes it. Repeatable. */
  remove(): void
}

/** A process, as listed inside the container. A hostile container may claim anything here. */
export interface ContainerProcess {
  readonly pid: number
  readonly ppid: number
  readonly session: number
  /** When it started, in clock ticks since boot. Together with the pid this is unique. */
  readonly startTicks: number
  /** CPU time that it has used, with its children that ended, in milliseconds. */
  readonly cpuMs: number
  readonly memoryBytes: number
  readonly ignoresHangup: boolean
  readonly command: string
  /** The terminal session in its environment; null: none. */
  readonly terminalSession: string | null
  readonly startedAt: Date | null
}

/** What a container has used since its start (CPU, network, disk), and uses now (memory, processes). */
export interface ContainerUsage {
  /** Time of the measurement, in milliseconds since 1970 on the engine's clock. */
  readonly at: number
  /** CPU time of all its processes, in milliseconds. */
  readonly cpuMs: number
  readonly memoryBytes: number
  readonly memoryLimitBytes: number
  readonly networkRxBytes: number
  readonly networkTxBytes: number
  readonly diskReadBytes: number
  readonly diskWriteBytes: number
  readonly processes: number
}

/** One line that a container's first process wrote. Never trust its text. */
export interface LogLine {
  /** RFC 3339 in UTC with nanoseconds. Lines are in the order in which the engine received them. */
  readonly at: string
  readonly stream: 'stdout' | 'stderr'
  /** Without the end of the line. A line longer than {@link LOG_LINE_BYTES} is cut. */
  readonly text: string
}

/** Longest line of a log, in bytes. The engine itself cuts lines at 16 KiB. */
export const LOG_LINE_BYTES = 16_384

/** A component of the engine, such as runc. */
export interface EngineComponent {
  readonly name: string
  readonly version: string
  /** The commit, or the distribution's version, from which it was built. */
  readonly build: string
}

/** Everything that the platform needs of a container engine. Failures are `RuntimeError`s. */
export interface ContainerRuntime {
  /** Whether the event stream is connected, and so the engine responds. */
  readonly available: boolean
  /** Subnets ("address/prefix") from which agents connect. Until the engine has told: all possible ones. */
  readonly agentSubnets: readonly string[]
  /** Follows the engine's events. Resolves when first connected, or when the engine proved unreachable. */
  watch(listener: (event: RuntimeEvent) => void): Promise<void>
  /** Stops following events and closes idle connections. Containers go on. */
  close(): Promise<void>
  list(): Promise<ContainerInfo[]>
  components(): Promise<EngineComponent[]>
  /**
   * Disk use in bytes by agent: its home and the container's own files. The engine counts all files, so a call is
   * costly. Files that the agent itself cannot read are included.
   */
  diskUse(): Promise<ReadonlyMap<string, number>>
  find(spec: Pick<ContainerSpec, 'agentName' | 'agentId'>): Promise<ContainerInfo | null>
  fingerprint(spec: ContainerSpec): string
  /**
   * Makes the agent's container run as specified: starts it, or creates it with its network and its home. If its
   * specification has changed, it is created anew, and the home is kept. After a failure nothing new is left.
   */
  launch(spec: ContainerSpec): Promise<ContainerInfo>
  /** Asks the container to stop, and kills it after `graceSeconds`. It may be stopped or gone already. */
  stop(containerId: string, graceSeconds: number): Promise<void>
  /** Removes the container, running or not. It may be gone already. */
  remove(containerId: string): Promise<void>
  /** The ids of the agents that have a home. */
  homes(): Promise<ReadonlySet<string>>
  /** Removes the agent's home. It may be gone already. A foreign volume of that name is not touched. */
  removeHome(spec: Pick<ContainerSpec, 'agentName' | 'agentId'>): Promise<void>
  run(containerId: string, options: RunOptions): Promise<RunResult>
  /** Starts a program with back-pressure on its input and output. The caller reads `output` to its end or closes it. */
  stream(containerId: string, argv: readonly string[]): Promise<ProgramStream>
  /**
   * Writes a file, which programs of the agent can read and not change, for a CLI that takes only a file of root. `text` is
   * one line. The file is gone after its `remove`, soon after this backend is gone, and when the container stops.
   */
  putRootFile(containerId: string, text: string): Promise<RootFile>
  /** Starts a program. If possible, the container holds it, so that it outlives this backend. */
  start(containerId: string, spec: ProgramSpec): Promise<Program>
  /** The sessions of the held programs, attached or not. The container may lie. */
  held(containerId: string): Promise<string[]>
  /**
   * Takes over a program that was released, or whose backend is gone, with its output from these offsets on. Null: it
   * does not exist. Fails with `start_failed` if the answer is not from a holder, or if it has less output than that.
   */
  attach(containerId: string, session: string, from: Offsets): Promise<Attached | null>
  /** Ends the remaining processes of a program that an earlier backend started. */
  hangUp(containerId: string, leader: string): Promise<void>
  processes(containerId: string): Promise<ContainerProcess[]>
  /** Ends one process: asks, then kills. False if it does not exist any more. */
  endProcess(containerId: string, pid: number): Promise<boolean>
  /** The newest lines of its log, oldest first, also while the container is stopped. */
  logs(containerId: string, tail: number): Promise<LogLine[]>
  /**
   * The log lines after `since`, the `at` of a line (null: all lines). Ends with the container, or when `signal`
   * aborts. A slow reader costs no memory, because the rest waits in the engine's own file.
   */
  followLogs(
    containerId: string,
    options: { readonly since: string | null; readonly signal: AbortSignal },
  ): AsyncIterable<LogLine[]>
  usage(containerId: string): Promise<ContainerUsage>
}
