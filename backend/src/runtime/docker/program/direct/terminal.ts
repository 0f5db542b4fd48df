/** A terminal on Docker's TTY exec, with workarounds for its faults. */
import type { Duplex } from 'node:stream'
import type { OutputListener, Program, ProgramSpec, TerminalIo } from '../../../program.ts'
import { type ExecContext, environment } from '../context.ts'
import { type DirectParts, DirectProgram } from './program.ts'
import { toRuntimeError } from '../../errors.ts'
import { readHandshake } from './handshake.ts'
import { scriptArgv } from '../../scripts.ts'
import { startInTime } from '../start-in-time.ts'

/**
 * Docker's client-side "detach" would swallow Ctrl-P. It cannot be turned off, but it can have other keys: a sequence
 * that no user types (moby#16679). Docker holds back its possible beginning: a Ctrl-^ arrives together with the next
 * key, and in a long paste it may hold back the last byte.
 */
const DETACH_KEYS = 'ctrl-^,ctrl-@,ctrl-_,ctrl-^,ctrl-@,ctrl-_'
/**
 * Ctrl+Z. If it stops a process other than the program itself, no shell and no launcher continues it. After this time,
 * in milliseconds, it is continued.
 */
const SUSPEND = 0x1a
const STOPPED_WITHIN_MS = 500
const CONTINUED_WITHIN_MS = 15_000

/** Starts the program and waits until it exists, so that later calls have something to act on. */
export const startOnTerminal = (context: ExecContext, spec: ProgramSpec, io: TerminalIo): Promise<Program> =>
  startInTime((abortSignal) => start(context, spec, io, abortSignal))

const start = async (
  context: ExecContext,
  { session, argv, env, folder }: ProgramSpec,
  { cols, rows, notice }: TerminalIo,
  abortSignal: AbortSignal,
): Promise<Program> => {
  const exec = await context.docker.getContainer(context.containerId).exec({
    Cmd: scriptArgv('launch', String(rows), String(cols), ...argv),
    Env: environment({ ...env, SLIPWAY_SESSION: session }),
    WorkingDir: folder,
    DetachKeys: DETACH_KEYS,
    Tty: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    abortSignal,
  })
  const died = new Promise<number>((resolve) => context.exits.once(exec.id, resolve))
  try {
    const socket: Duplex = await exec.start({ hijack: true, stdin: true, Tty: true, abortSignal })
    const { leader, kills } = await readHandshake(socket)
    return new DirectTerminal({ context, exec, socket, died, leader, kills, notice })
  } catch (error) {
    context.exits.forget(exec.id)
    throw toRuntimeError(error)
  }
}

interface Parts extends DirectParts {
  readonly notice: string | null
}

class DirectTerminal extends DirectProgram {
  readonly #parts: Parts
  #size: { h: number; w: number } | null = null
  #resizing = false
  #suspending: NodeJS.Timeout | null = null

  constructor(parts: Parts) {
    super(parts)
    this.#parts = parts
    parts.socket.once('close', () => this.#suspending && clearTimeout(this.#suspending))
  }

  onOutput(listener: OutputListener): void {
    const { socket, notice } = this.#parts
    let offset = 0
    const told = (chunk: Uint8Array): void => {
      offset += chunk.length
      listener(chunk, 'stdout', offset - chunk.length)
    }
    if (notice !== null) told(Buffer.from(notice))
    // The handshake paused the socket, and a listener alone does not resume it.
    socket.on('data', told).resume()
  }

  override write(data: Uint8Array): boolean {
    if (data.includes(SUSPEND)) this.#suspending ??= setTimeout(() => this.#continue(), STOPPED_WITHIN_MS)
    return super.write(data)
  }

  override endInput(): void {
    // A terminal has no end of input.
  }

  override resize(cols: number, rows: number): void {
    this.#size = { h: rows, w: cols }
    if (!this.#resizing) void this.#applySizes()
  }

  #continue(): void {
    this.#suspending = null
    const argv = scriptArgv('continue', ...this.leader.split(':'))
    // It fails if the container, and so the program, is gone.
    const continuing = this.#parts.context.run({ argv, timeoutMs: CONTINUED_WITHIN_MS, maxOutputBytes: 1024 })
    void continuing.catch(() => undefined)
  }

  /** One request at a time. Otherwise an older size could overtake a newer one. */
  async #applySizes(): Promise<void> {
    this.#resizing = true
    while (this.#size) {
      const size = this.#size
      this.#size = null
      // It fails if the program has ended (moby#35561), and then no size is needed.
      await this.#parts.exec.resize(size).catch(() => undefined)
    }
    this.#resizing = false
  }
}
