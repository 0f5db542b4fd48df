/** A terminal inside a container: Docker's TTY exec, made dependable. */
import type { Duplex } from 'node:stream'
import type Docker from 'dockerode'
import { RuntimeError } from '../errors.ts'
import type { Pty, PtyExit, PtyOptions } from '../port.ts'
import { toRuntimeError } from './errors.ts'
import type { ExecExits } from './exec-exits.ts'
import { readHandshake } from './handshake.ts'
import { AGENT_USER } from './profile.ts'
import { scriptArgv } from './scripts.ts'

/**
 * Docker's client-side "detach" would eat Ctrl-P. It cannot be turned off, only moved: to a run of keys that nobody
 * types one by one (moby#16679).
 */
const DETACH_KEYS = 'ctrl-^,ctrl-@,ctrl-_,ctrl-^,ctrl-@,ctrl-_'
/** After the first process's end, how long output may still come from a job that holds the terminal open, in ms. */
const DRAIN_MS = 500
const DRAIN_TICK_MS = 50
/** How long the last output waits for a reader that has paused, in milliseconds; then it is given up. */
const DRAIN_PAUSED_MS = 30_000

/** What the pty needs from the runtime around it. */
export interface PtyContext {
  readonly docker: Docker
  readonly exits: ExecExits
  /** Why the container's terminal with this exit code ended; `kills` is the memory-kill counter at its start. */
  causeOf(exitCode: number | null, kills: number): Promise<PtyExit['cause']>
  hangUp(leader: string): Promise<void>
}

/** An engine under load takes seconds to make and start an exec; beyond this, in milliseconds, it does not answer. */
const START_MS = 30_000

/** Starts the program and waits until it exists, so that everything afterwards has something to act upon. */
export const openDockerPty = async (context: PtyContext, containerId: string, options: PtyOptions): Promise<Pty> => {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), START_MS)
  try {
    return await open(context, containerId, options, late.signal)
  } catch (error) {
    throw late.signal.aborted ? new RuntimeError('engine_unavailable', 'the engine did not start the terminal') : error
  } finally {
    clearTimeout(timer)
  }
}

const open = async (
  context: PtyContext,
  containerId: string,
  options: PtyOptions,
  abortSignal: AbortSignal,
): Promise<Pty> => {
  const exec = await context.docker.getContainer(containerId).exec({
    Cmd: scriptArgv('launch', String(options.rows), String(options.cols), ...options.argv),
    Env: Object.entries(options.env).map(([name, value]) => `${name}=${value}`),
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
    return new DockerPty({ context, exec, socket, died, leader, kills })
  } catch (error) {
    context.exits.forget(exec.id)
    throw toRuntimeError(error)
  }
}

interface Parts {
  readonly context: PtyContext
  readonly exec: Docker.Exec
  readonly socket: Duplex
  readonly died: Promise<number>
  readonly leader: string
  readonly kills: number
}

class DockerPty implements Pty {
  readonly leader: string
  readonly exit: Promise<PtyExit>
  readonly #parts: Parts
  #size: { h: number; w: number } | null = null
  #resizing = false

  constructor(parts: Parts) {
    this.#parts = parts
    this.leader = parts.leader
    // An error is followed by the close, which is what counts.
    parts.socket.on('error', () => undefined)
    this.exit = this.#awaitExit()
  }

  onOutput(listener: (chunk: Uint8Array) => void): void {
    // The handshake left it paused, which a listener alone does not lift.
    this.#parts.socket.on('data', listener).resume()
  }

  onDrain(listener: () => void): void {
    this.#parts.socket.on('drain', listener)
  }

  write(data: Uint8Array): boolean {
    const { socket } = this.#parts
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

  async #awaitExit(): Promise<PtyExit> {
    const { context, exec, socket, died, kills } = this.#parts
    const closed = new Promise<null>((resolve) => socket.once('close', () => resolve(null)))
    socket.once('end', () => socket.destroy())
    const told = await Promise.race([died, closed])
    if (told !== null) await this.#drain(closed)
    context.exits.forget(exec.id)
    const exitCode = told ?? (await this.#inspectExitCode(died))
    return { exitCode, cause: await context.causeOf(exitCode, kills) }
  }

  /**
   * The last output is on its way. A job that holds the terminal open must not keep the session from ending, so only so
   * much time is given to it; while the reader has paused, that time stands still.
   */
  async #drain(closed: Promise<unknown>): Promise<void> {
    const { socket } = this.#parts
    let left = DRAIN_MS
    let leftPaused = DRAIN_PAUSED_MS
    const timer = setInterval(() => {
      if (socket.isPaused()) leftPaused -= DRAIN_TICK_MS
      else left -= DRAIN_TICK_MS
      if (left <= 0 || leftPaused <= 0) socket.destroy()
    }, DRAIN_TICK_MS)
    if (!socket.destroyed) await closed
    clearInterval(timer)
  }

  /** The socket closed before the event came: either of them tells. */
  async #inspectExitCode(died: Promise<number>): Promise<number | null> {
    try {
      const { Running, ExitCode } = await this.#parts.exec.inspect()
      if (!Running) return ExitCode
    } catch {
      return null
    }
    return Promise.race([died, new Promise<null>((resolve) => setTimeout(() => resolve(null), DRAIN_MS))])
  }
}
