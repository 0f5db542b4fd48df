/** The port to containers. `docker/` implements it; nothing above it knows dockerode. */
import type { Readable, Writable } from 'node:stream'

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

/** The outputs of a program. One on a terminal has the first alone. */
export type OutputName = 'stdout' | 'stderr'

/** A place in each output, counted in bytes from its first one. */
export type Offsets = Readonly<Record<OutputName, number>>

/** From where a program is attached to of whose output nothing is kept. */
export const FROM_THE_START: Offsets = { stdout: 0, stderr: 0 }

/** What is kept of a terminal's output, in bytes. */
export const TERMINAL_LOG_BYTES = 1_048_576
/** The least and the most that is kept of an output, in bytes; see {@link ProgramSpec.logBytes}. */
export const LOG_BYTES_MIN = 65_536
export const LOG_BYTES_MAX = 16_777_216

/** A program on a pseudo-terminal. */
export interface TerminalIo {
  readonly kind: 'terminal'
  readonly cols: number
  readonly rows: number
  /** Shown before the program's own output, and a part of it as far as offsets go. At most 4 KiB are. */
  readonly notice: string | null
}

/** A program without a terminal, whose two outputs are told apart. */
export interface PipesIo {
  readonly kind: 'pipes'
  /** Nothing to be read; what is {@link Program.write written}, until {@link Program.endInput}; or these bytes, and then the end. */
  readonly stdin: 'none' | 'open' | Uint8Array
}

export interface ProgramSpec {
  /** The session's id: the mark by which its processes are told from others (`SLIPWAY_SESSION`), and by which it is found again. */
  readonly session: string
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /**
   * Absolute. On pipes it has to be a folder inside the home, with its links resolved, or the start fails with
   * `bad_folder`.
   */
  readonly folder: string
  readonly io: TerminalIo | PipesIo
  /** As in {@link Program.keep}. */
  readonly keepSeconds: number
  /** What is kept of each output where the program survives, from {@link LOG_BYTES_MIN} to {@link LOG_BYTES_MAX}. */
  readonly logBytes: number
  /**
   * What becomes of output for which there is no room, since nobody acknowledged what is kept. `block`: the program waits,
   * also while nobody is attached, and nothing is lost. `drop`: after a minute without anybody the oldest is dropped.
   */
  readonly whenFull: 'drop' | 'block'
}

/** How the first process of a program's session ended. */
export interface ProgramExit {
  /** Null when the engine cannot tell any more. */
  readonly exitCode: number | null
  /** What took it: its own end, the memory limit, the container's stop, the engine's. */
  readonly cause: 'exited' | 'out_of_memory' | 'container_stopped' | 'engine_unavailable'
}

/** What a program may be sent, as the names of the signals without `SIG`. */
export type ProgramSignal = 'INT' | 'TERM' | 'KILL'

/** `offset` is that of the chunk's first byte. */
export type OutputListener = (chunk: Uint8Array, from: OutputName, offset: number) => void

/** A program inside a container. Output flows as soon as a listener is set. */
export interface Program {
  /** Names the first process across container restarts: "pid:start ticks". */
  readonly leader: string
  /** Whether it goes on without this backend, and can be attached to again. */
  readonly survives: boolean
  /**
   * Settled once, after the last byte of output was delivered. One that survives keeps its end, and what it printed last, for
   * whoever attaches next, until {@link hangUp} collects it or the seconds of {@link keep} have passed.
   */
  readonly exit: Promise<ProgramExit>
  /** Sets the one listener for output. */
  onOutput(listener: OutputListener): void
  /**
   * Output before `offset` has been stored, or seen by everybody: it may be dropped. Where so much is not acknowledged that there is
   * no room for more, the program is blocked.
   */
  acknowledge(of: OutputName, offset: number): void
  /** Up to where it was told that; it may have been spared the last of it. */
  readonly acknowledged: Offsets
  /** For how long it waits when this backend goes away, before it ends itself. */
  keep(seconds: number): void
  /** Lets go of it. It goes on, and can be attached to; one that does not survive is hung up by that. */
  release(): void
  /** Sets the one listener that is told when queued input has been taken. */
  onDrain(listener: () => void): void
  /** Sends input. False: enough is queued, wait for the drain. What is written all the same beyond 2 MiB is dropped. */
  write(data: Uint8Array): boolean
  /** On pipes: after all that was written the program reads the end of its input. */
  endInput(): void
  /** Signals all processes of its session, whatever process groups they are in. Fails with a `RuntimeError`. */
  signal(name: ProgramSignal): Promise<void>
  /** Stops reading, which blocks the program once what is between is full. */
  pause(): void
  resume(): void
  /** On a terminal: the newest size wins; sizes in between may be skipped. */
  resize(cols: number, rows: number): void
  /** Ends all its processes as a closed terminal would, and collects its end. Resolves when none is left; may be called again. */
  hangUp(): Promise<void>
}

/** A program that was attached to. */
export interface Attached {
  readonly program: Program
  /** Its terminal's size when it was attached to; null on pipes. */
  readonly size: { readonly cols: number; readonly rows: number } | null
  /** Whether it may be given more input. */
  readonly takesInput: boolean
  /** Whether it was over by then, so that its end follows at once. */
  readonly hasEnded: boolean
  /** Of the first bytes that follow: more than was asked for where what was before is lost, and never less. */
  readonly from: Offsets
  /** Up to where there was output when it was attached to. */
  readonly to: Offsets
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
  /** Starts a program with back-pressure on its input and its output. Whoever starts it reads `output` to its end or closes it. */
  stream(containerId: string, argv: readonly string[]): Promise<ProgramStream>
  /** Starts a program; its container holds it, where it can, so that it outlives this backend. */
  start(containerId: string, spec: ProgramSpec): Promise<Program>
  /** The sessions of the programs that wait in the container, or are attached; what it says is not to be trusted. */
  held(containerId: string): Promise<string[]>
  /**
   * Takes over a program that was released, or whose backend is gone, with its output from these offsets on. Null: not there. Fails
   * with `start_failed` where what answers is no holder, or has printed less than that.
   */
  attach(containerId: string, session: string, from: Offsets): Promise<Attached | null>
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
