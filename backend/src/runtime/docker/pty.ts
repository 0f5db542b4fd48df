/** A terminal inside a container: Docker's TTY exec, made dependable. */
import type { Duplex } from 'node:stream'
import type Docker from 'dockerode'
import type { Program, ProgramExit, ProgramOptions, ProgramSignal, TerminalOptions } from '../port.ts'
import { toRuntimeError } from './errors.ts'
import { endOfExec } from './exec-end.ts'
import type { ExecExits } from './exec-exits.ts'
import { readHandshake } from './handshake.ts'
import { INPUT_QUEUE_BYTES } from './held/input.ts'
import { AGENT_USER } from './profile.ts'
import { scriptArgv } from './scripts.ts'
import { startInTime } from './start-in-time.ts'

/**
 * Docker's client-side "detach" would eat Ctrl-P. It cannot be turned off, only moved: to a run of keys that nobody
 * types one by one (moby#16679). What may have begun it is held back: a Ctrl-^ arrives together with what is typed next.
 */
const DETACH_KEYS = 'ctrl-^,ctrl-@,ctrl-_,ctrl-^,ctrl-@,ctrl-_'
/** Ctrl+Z: what it stops alone, within this time in milliseconds, no shell and no launcher continues. */
const SUSPEND = 0x1a
const STOPPED_WITHIN_MS = 500

/** What a program needs from the runtime around it. */
export interface ExecContext {
  readonly docker: Docker
  readonly exits: ExecExits
  /** Why the program with this exit code ended; `kills` is the memory-kill counter at its start. */
  causeOf(exitCode: number | null, kills: number): Promise<ProgramExit['cause']>
  hangUp(leader: string): Promise<void>
  /** Sends a signal to all of the session that this process leads. */
  signal(leader: string, name: ProgramSignal): Promise<void>
  /** Continues what has stopped in the group of a program that the launcher started. */
  continueStopped(leader: string): Promise<void>
}

/** Starts the program and waits until it exists, so that everything afterwards has something to act upon. */
export const openDockerPty = (
  context: ExecContext,
  containerId: string,
  options: ProgramOptions,
  io: TerminalOptions,
): Promise<Program> => startInTime((abortSignal) => open(context, containerId, { options, io }, abortSignal))

const open = async (
  context: ExecContext,
  containerId: string,
  { options, io }: { readonly options: ProgramOptions; readonly io: TerminalOptions },
  abortSignal: AbortSignal,
): Promise<Program> => {
  const exec = await context.docker.getContainer(containerId).exec({
    Cmd: scriptArgv('launch', String(io.rows), String(io.cols), ...options.argv),
    Env: environment({ ...options.env, SLIPWAY_SESSION: options.session }),
    User: AGENT_USER,
    WorkingDir: options.cwd,
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
    return new DockerPty({ context, exec, socket, died, leader, kills, notice: io.notice })
  } catch (error) {
    context.exits.forget(exec.id)
    throw toRuntimeError(error)
  }
}

/** As the engine takes it. */
export const environment = (env: Readonly<Record<string, string>>): string[] =>
  Object.entries(env).map(([name, value]) => `${name}=${value}`)

interface Parts {
  readonly context: ExecContext
  readonly exec: Docker.Exec
  readonly socket: Duplex
  readonly died: Promise<number>
  readonly leader: string
  readonly kills: number
  readonly notice: string | null
}

class DockerPty implements Program {
  readonly leader: string
  readonly survives = false
  readonly exit: Promise<ProgramExit>
  readonly #parts: Parts
  #size: { h: number; w: number } | null = null
  #resizing = false
  #suspending: NodeJS.Timeout | null = null

  constructor(parts: Parts) {
    this.#parts = parts
    this.leader = parts.leader
    // An error is followed by the close, which is what counts.
    parts.socket.on('error', () => undefined)
    const { context, exec, socket, died, kills } = parts
    socket.once('close', () => this.#suspending && clearTimeout(this.#suspending))
    this.exit = endOfExec({ exec, socket, died, exits: context.exits }).then(async (exitCode) => ({
      exitCode,
      cause: await context.causeOf(exitCode, kills),
    }))
  }

  onOutput(listener: Parameters<Program['onOutput']>[0]): void {
    const { socket, notice } = this.#parts
    let offset = 0
    const tell = (chunk: Uint8Array): void => {
      offset += chunk.length
      listener(chunk, 'stdout', offset - chunk.length)
    }
    if (notice !== null) tell(Buffer.from(notice))
    // The handshake left it paused, which a listener alone does not lift.
    socket.on('data', tell).resume()
  }

  endInput(): void {
    // The end of input of a terminal is a key.
  }

  collect(): void {
    // Nothing keeps it.
  }

  signal(name: ProgramSignal): void {
    // It fails where the container is gone, and the program with it.
    void this.#parts.context.signal(this.leader, name).catch(() => undefined)
  }

  acknowledge(): void {
    // Nobody keeps it.
  }

  readonly acknowledged = 0

  keep(): void {
    // It goes with this backend.
  }

  release(): void {
    void this.hangUp().catch(() => undefined)
  }

  onDrain(listener: () => void): void {
    this.#parts.socket.on('drain', listener)
  }

  write(data: Uint8Array): boolean {
    const { socket } = this.#parts
    // However often somebody comes back with more.
    if (socket.writableLength > INPUT_QUEUE_BYTES) return false
    if (data.includes(SUSPEND)) this.#suspending ??= setTimeout(() => this.#continue(), STOPPED_WITHIN_MS)
    return socket.writable ? socket.write(data) : true
  }

  pause(): void {
    this.#parts.socket.pause()
  }

  resume(): void {
    this.#parts.socket.resume()
  }

  resize(cols: number, rows: number): void {
    this.#size = { h: rows, w: cols }
    if (!this.#resizing) void this.#applySizes()
  }

  hangUp(): Promise<void> {
    return this.#parts.context.hangUp(this.leader)
  }

  #continue(): void {
    this.#suspending = null
    // It fails where the container is gone, and the program with it.
    void this.#parts.context.continueStopped(this.leader).catch(() => undefined)
  }

  /** One request at a time, or an older size may overtake a newer one. */
  async #applySizes(): Promise<void> {
    this.#resizing = true
    while (this.#size) {
      const size = this.#size
      this.#size = null
      // It fails when the program is over (moby#35561), and then nobody needs it.
      await this.#parts.exec.resize(size).catch(() => undefined)
    }
    this.#resizing = false
  }
}
