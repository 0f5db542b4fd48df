/** Programs inside a container: how they are started, watched, and attached to again. */
export type OutputName = 'stdout' | 'stderr'

/** Least and most bytes of a program's output that its container keeps, of each stream; see {@link PipesOptions}. */
export const KEPT_OUTPUT_MIN_BYTES = 1_048_576
export const KEPT_OUTPUT_MAX_BYTES = 16_777_216

/** The program gets a pseudo-terminal, whose output is one stream, `stdout`. Its container keeps the last MiB of that. */
export interface TerminalOptions {
  readonly kind: 'terminal'
  readonly cols: number
  readonly rows: number
  /** Shown before the program's own output, and a part of it as far as offsets go. At most 4 KiB are. */
  readonly notice: string | null
}

/** The program gets pipes. Its folder has to be inside the home with links resolved, or the start fails with `bad_folder`. */
export interface PipesOptions {
  readonly kind: 'pipes'
  /** Bytes are its whole standard input; with `open`, more may follow until {@link Program.endInput}. */
  readonly input: 'none' | 'open' | Uint8Array
  /** How much of each output the container keeps, in bytes; made a power of two within the bounds above. */
  readonly keptOutputBytes: number
  /**
   * What happens to a program whose kept output is full and not acknowledged. `block`: it waits, and nothing is ever lost.
   * `drop`: it waits for a while, and then, if no backend is attached, the oldest output is dropped.
   */
  readonly whenFull: 'drop' | 'block'
}

/** A program that is held in its container; see `ContainerRuntime.start`. */
export interface ProgramOptions {
  /** The session's id: the mark that tells its processes from others (`SLIPWAY_SESSION`), and the name to attach to. */
  readonly session: string
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** The working directory, absolute. */
  readonly cwd: string
  readonly io: TerminalOptions | PipesOptions
  /** As in {@link Program.keep}. */
  readonly keepSeconds: number
}

/** How a program ended. */
export interface ProgramExit {
  /** Null when the engine cannot tell any more. */
  readonly exitCode: number | null
  /** What ended it: itself, the memory limit, the container's stop, the engine's. */
  readonly cause: 'exited' | 'out_of_memory' | 'container_stopped' | 'engine_unavailable'
}

/** Signals that can be sent to a program. */
export type ProgramSignal = 'INT' | 'TERM' | 'KILL'

/** A program inside a container, on a pseudo-terminal or on pipes. Output flows as soon as a listener is set. */
export interface Program {
  /** Names the first process across container restarts: "pid:start ticks". */
  readonly leader: string
  /** Whether it continues without this backend, and can be attached to again. */
  readonly survives: boolean
  /** Settled once, after the last byte of output was delivered. */
  readonly exit: Promise<ProgramExit>
  /** Sets the one listener for output. `offset` is that of the chunk's first byte in its stream. */
  onOutput(listener: (chunk: Uint8Array, from: OutputName, offset: number) => void): void
  /** Output of this stream before `offset` is not needed any more. Where so much waits that the program is blocked, it continues. */
  acknowledge(offset: number, from?: OutputName): void
  /** Up to where the container was told that of `stdout`; small steps are gathered. */
  readonly acknowledged: number
  /** For how many seconds it waits while no backend is attached, before it ends itself. */
  keep(seconds: number): void
  /** Detaches. The program continues and can be attached to; one that does not survive is hung up. */
  release(): void
  /** Sets the one listener that is called when queued input was taken. */
  onDrain(listener: () => void): void
  /** Sends input. False: enough is queued, wait for the drain. */
  write(data: Uint8Array): boolean
  /** Closes the standard input of a program on pipes once everything that was written is read. */
  endInput(): void
  /** Sends a signal to every process of the program's session. Nothing happens if it has ended. */
  signal(name: ProgramSignal): void
  /** Stops reading, which blocks the program once its container keeps as much as it may. */
  pause(): void
  resume(): void
  /** For a terminal. The newest size wins; sizes in between may be skipped. */
  resize(cols: number, rows: number): void
  /**
   * The exit of a program on pipes is stored, so its container may forget it. Until then `ContainerRuntime.attach` tells it
   * again. A terminal's is forgotten as soon as it was told.
   */
  collect(): void
  /**
   * Ends all its processes as a closed terminal would, except those that were detached from it. Collects its exit, too.
   * Resolves when none is left; may be called again.
   */
  hangUp(): Promise<void>
}

/** Offsets in the two outputs of a program. */
export type OutputOffsets = Readonly<Record<OutputName, number>>

/** A program that was attached to. */
export interface AttachedProgram {
  readonly program: Program
  /** Whether it had ended by then: its exit follows the rest of its output. */
  readonly hasEnded: boolean
  /** The size of a terminal when it was attached to; of pipes 0. */
  readonly cols: number
  readonly rows: number
  /** Offset of the first byte that follows; earlier output that was asked for is lost. */
  readonly from: OutputOffsets
  /** Offset up to which there was output when it was attached to. */
  readonly to: OutputOffsets
}
