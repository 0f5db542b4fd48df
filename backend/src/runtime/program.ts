/**
 * A program inside a container, on a terminal or on pipes. `ContainerRuntime.start` starts it, and `attach` finds it
 * again. Each output has absolute offsets.
 */

/** The outputs of a program. On a terminal it has only the first. */
export type OutputName = 'stdout' | 'stderr'

/** A position in each output, in bytes from its beginning. */
export type Offsets = Readonly<Record<OutputName, number>>

/** The position to attach at if the caller has no output yet. */
export const FROM_THE_START: Offsets = { stdout: 0, stderr: 0 }

/** How much of a terminal's output is kept, in bytes. */
export const TERMINAL_LOG_BYTES = 1_048_576
/** Bounds of {@link ProgramSpec.logBytes}, in bytes. */
export const LOG_BYTES_MIN = 65_536
export const LOG_BYTES_MAX = 16_777_216

/** A program on a pseudo-terminal. */
export interface TerminalIo {
  readonly kind: 'terminal'
  readonly cols: number
  readonly rows: number
  /** Shown before the program's own output, and counted in offsets. It is cut to 4 KiB. */
  readonly notice: string | null
}

/** A program without a terminal, whose two outputs are separate. */
export interface PipesIo {
  readonly kind: 'pipes'
  /** `none`: empty. `open`: what {@link Program.write} sends, until {@link Program.endInput}. Bytes: only these. */
  readonly stdin: 'none' | 'open' | Uint8Array
}

export interface ProgramSpec {
  /** The session's id. It marks its processes (`SLIPWAY_SESSION`), and the runtime's `attach` takes it. */
  readonly session: string
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /**
   * An absolute path. On pipes it must be a folder inside the home, after its links are resolved. Otherwise the start
   * fails with `bad_folder`.
   */
  readonly folder: string
  readonly io: TerminalIo | PipesIo
  /** As in {@link Program.keep}. */
  readonly keepSeconds: number
  /** How much of each output is kept if the program survives, from {@link LOG_BYTES_MIN} to {@link LOG_BYTES_MAX}. */
  readonly logBytes: number
  /**
   * What happens if unacknowledged output fills the log. `block`: the program waits, also while no backend is attached,
   * and nothing is lost. `drop`: once no backend has been attached for a minute, the oldest output is dropped.
   */
  readonly whenFull: 'drop' | 'block'
}

/** How the first process of a program's session ended. */
export interface ProgramExit {
  /** Null: the engine does not know it. */
  readonly exitCode: number | null
  /** The cause: its own end, the memory limit, a stop of the container, or a loss of the engine. */
  readonly cause: 'exited' | 'out_of_memory' | 'container_stopped' | 'engine_unavailable'
}

/** The signals that a program can be sent, without `SIG`. */
export type ProgramSignal = 'INT' | 'TERM' | 'KILL'

/** `offset` is that of the chunk's first byte. */
export type OutputListener = (chunk: Uint8Array, from: OutputName, offset: number) => void

/** A program inside a container. Output flows once a listener is set. */
export interface Program {
  /** Identifies its first process, also across container restarts: "pid:start ticks". */
  readonly leader: string
  /** Whether it goes on without this backend, and a later one can attach to it. */
  readonly survives: boolean
  /**
   * Resolves once, after the last byte of output. A program that survives keeps its end and its last output for the
   * next backend, until {@link hangUp} collects them or the time of {@link keep} has passed.
   */
  readonly exit: Promise<ProgramExit>
  /** Sets the only listener for output. */
  onOutput(listener: OutputListener): void
  /**
   * Output before `offset` was stored, or all viewers have it, so it may be dropped. If unacknowledged output fills the
   * log, the program blocks.
   */
  acknowledge(of: OutputName, offset: number): void
  /** Offsets up to which the container was told of acknowledgements. It is not told of each one. */
  readonly acknowledged: Offsets
  /** How long it waits after this backend has gone, before it ends itself. */
  keep(seconds: number): void
  /** Detaches. It goes on, and a later backend can attach to it. If it does not survive, this ends it. */
  release(): void
  /** Sets the only listener that is called when queued input was consumed. */
  onDrain(listener: () => void): void
  /** Sends input. False: the queue is full, wait for the drain. Input beyond 2 MiB in the queue is dropped. */
  write(data: Uint8Array): boolean
  /** On pipes: the program reads the end of its input after everything that was written. */
  endInput(): void
  /** Signals all processes of its session, in all process groups. Rejects with a `RuntimeError`. */
  signal(name: ProgramSignal): Promise<void>
  /** Stops reading. The program blocks once the buffers in between are full. */
  pause(): void
  resume(): void
  /** On a terminal: sets its size. The latest one wins, and earlier ones may be skipped. */
  resize(cols: number, rows: number): void
  /** Ends all its processes like a closed terminal, and collects its end. Resolves when none is left. Repeatable. */
  hangUp(): Promise<void>
}

/** A program to which this backend attached. */
export interface Attached {
  readonly program: Program
  /** The size of its terminal at that time; null on pipes. */
  readonly size: { readonly cols: number; readonly rows: number } | null
  /** Whether it takes more input. */
  readonly takesInput: boolean
  /** Whether it had ended already. Then its end follows at once. */
  readonly hasEnded: boolean
  /** Offsets of the first bytes that follow: as requested, or higher if earlier output is lost. Never lower. */
  readonly from: Offsets
  /** Offsets up to which it had output at that time. */
  readonly to: Offsets
}
