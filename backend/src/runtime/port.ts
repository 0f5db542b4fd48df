/** The port to containers. `docker/` implements it; nothing above it knows dockerode. */
import type { Readable, Writable } from 'node:stream'
import type { AttachedProgram, OutputOffsets, Program, ProgramOptions } from './program.ts'

export * from './program.ts'

/** What a caller may decide about a container; the rest of the profile is the adapter's and the same for all. */
export interface ContainerSpec {
  /** The agent that it belongs to: becomes its name, its volume's name and its labels. */
  readonly agentId: string
  readonly agentName: string
  readonly ownerId: string | null
  readonly isSystem: boolean
  readonly image: string
  /** CPUs, fractions allowed. */
  readonly cpus: number
  /** Memory in MiB; there is no swap on top. */
  readonly memoryMb: number
}

/** A container as the engine has it now. */
export interface ContainerInfo {
  readonly id: string
  readonly agentId: string
  readonly running: boolean
  /** Null while it runs and before it ever ran. */
  readonly exitCode: number | null
  readonly oomKilled: boolean
  /** Fingerprint of the specification it was made from. */
  readonly fingerprint: string
  /** When it last started, if ever. */
  readonly startedAt: Date | null
}

/** What the engine reports by itself. */
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

/** A program that runs to its end without a terminal. */
export interface RunOptions {
  readonly argv: readonly string[]
  /** Given to its standard input, which is then closed. */
  readonly input?: Uint8Array
  /** Longest it may take, in milliseconds; then the call fails with `timed_out` (the program itself lives on). */
  readonly timeoutMs: number
  /** Most bytes kept of each output; the rest is dropped. */
  readonly maxOutputBytes: number
}

export interface RunResult {
  readonly exitCode: number
  readonly stdout: Buffer
  readonly stderr: Buffer
}

/** A program whose input and output are too large to be held; see {@link ContainerRuntime.stream}. */
export interface ProgramStream {
  /** Its standard output. While nobody reads it, the program blocks. */
  readonly output: Readable
  /** Its standard input. Ended, the program sees the end; destroyed, too. */
  readonly input: Writable
  /** Settles once both outputs have been read to their end. Fails with a `RuntimeError` when the engine went away before. */
  readonly exit: Promise<ProgramEnd>
  /** Lets go of the program at once: it sees the end of its input, and its output goes nowhere. */
  close(): void
}

export interface ProgramEnd {
  readonly exitCode: number
  /** The beginning of its error output. */
  readonly stderr: Buffer
}

/** A line of `ps`, read inside the container: a hostile container may claim anything here. */
export interface ContainerProcess {
  readonly pid: number
  readonly ppid: number
  readonly session: number
  /** Clock ticks since boot at which it started; with the pid it names a process for good. */
  readonly startTicks: number
  readonly memoryBytes: number
  readonly ignoresHangup: boolean
  readonly command: string
  /** The terminal session named by its environment, if any. */
  readonly terminalSession: string | null
  readonly startedAt: Date | null
}

/** What a container has used since it started (CPU, network, disk) and holds now (memory, processes). */
export interface ContainerUsage {
  /** When it was measured, in milliseconds since 1970 on the engine's clock. */
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

/** One line that a container's first process wrote; text from the container, never to be trusted. */
export interface LogLine {
  /** RFC 3339 in UTC with nanoseconds: the order in which the engine got them. */
  readonly at: string
  readonly stream: 'stdout' | 'stderr'
  /** Without the line's end; a longer one than {@link LOG_LINE_BYTES} is cut there. */
  readonly text: string
}

/** Longest line of a log that is kept; the engine itself cuts them at 16 KiB. */
export const LOG_LINE_BYTES = 16_384

/** One program that the engine is made of, such as runc. */
export interface EngineComponent {
  readonly name: string
  readonly version: string
  /** What it was built from: a commit, or a distribution's version. */
  readonly build: string
}

/** Everything that the platform asks of a container engine. Failures are `RuntimeError`s. */
export interface ContainerRuntime {
  /** Whether the event stream is connected, which is to say that the engine answers. */
  readonly available: boolean
  /**
   * The networks, as "address/prefix", from which agents' connections come: as the engine told last, and every one that
   * might be theirs until it has told.
   */
  readonly agentSubnets: readonly string[]
  /** Starts following the engine's events; resolves once connected for the first time, or the engine proved unreachable. */
  watch(listener: (event: RuntimeEvent) => void): Promise<void>
  /** Stops following events and drops idle connections. Containers go on. */
  close(): Promise<void>
  list(): Promise<ContainerInfo[]>
  components(): Promise<EngineComponent[]>
  /**
   * Bytes on the disk by agent: its home, and what it wrote beside it. The engine counts every file, so this is costly; what an
   * agent hides from itself, by a folder that it cannot read, is counted, too.
   */
  diskUse(): Promise<ReadonlyMap<string, number>>
  find(spec: Pick<ContainerSpec, 'agentName' | 'agentId'>): Promise<ContainerInfo | null>
  fingerprint(spec: ContainerSpec): string
  /**
   * Makes sure that the agent's container runs as specified: starts the one there is, or makes it (anew, when it was made
   * from another specification; the home is kept), with its network and its home. On failure nothing new is left.
   */
  launch(spec: ContainerSpec): Promise<ContainerInfo>
  /** Asks it to stop and kills it after `graceSeconds`. Stopped or gone already is fine. */
  stop(containerId: string, graceSeconds: number): Promise<void>
  /** Removes the container, running or not. Gone already is fine. */
  remove(containerId: string): Promise<void>
  /** Removes the agent's home. Gone already is fine; a volume of that name that is somebody else's stays. */
  removeHome(spec: Pick<ContainerSpec, 'agentName' | 'agentId'>): Promise<void>
  run(containerId: string, options: RunOptions): Promise<RunResult>
  /**
   * Starts a program that survives this backend where the container can hold it: its output, and the exit of one on pipes, are kept
   * there until they are acknowledged and collected.
   */
  start(containerId: string, options: ProgramOptions): Promise<Program>
  /** The sessions of the programs that are held in the container; what it says is not to be trusted. */
  held(containerId: string): Promise<string[]>
  /**
   * Attaches to a program of that kind that was released, or whose backend is gone, with its kept output from these offsets on.
   * Null: it is not held.
   */
  attach(
    containerId: string,
    session: string,
    what: { readonly kind: ProgramOptions['io']['kind']; readonly from: OutputOffsets },
  ): Promise<AttachedProgram | null>
  /** Starts a program with back-pressure on its input and its output. The caller reads `output` to its end or closes it. */
  stream(containerId: string, argv: readonly string[]): Promise<ProgramStream>
  /** Ends what a program's first process left behind; for programs that an earlier backend started. */
  hangUp(containerId: string, leader: string): Promise<void>
  processes(containerId: string): Promise<ContainerProcess[]>
  /** Ends one process: asks, then kills. False when it is not there (or is another one by now). */
  endProcess(containerId: string, pid: number): Promise<boolean>
  /** The newest lines of its log, oldest first; also of a container that is stopped. */
  logs(containerId: string, tail: number): Promise<LogLine[]>
  /**
   * What is written to its log after `since`, a line's `at` (null: everything). Ends with the container, and when `signal`
   * is aborted. Nobody who reads slowly costs memory: the engine's own file is what waits.
   */
  followLogs(
    containerId: string,
    options: { readonly since: string | null; readonly signal: AbortSignal },
  ): AsyncIterable<LogLine[]>
  usage(containerId: string): Promise<ContainerUsage>
}
