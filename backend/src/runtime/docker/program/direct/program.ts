/** The common part of programs without a holder. They are the engine's own execs, and end with this backend. */
import type { Duplex } from 'node:stream'
import type Docker from 'dockerode'
import {
  FROM_THE_START,
  type OutputListener,
  type Program,
  type ProgramExit,
  type ProgramSignal,
} from '../../../program.ts'
import type { ExecContext } from '../context.ts'
import { endOfExec } from '../exec-end.ts'
import { INPUT_QUEUE_BYTES } from '../../held/input.ts'
import { scriptArgv } from '../../scripts.ts'

const SIGNALLED_WITHIN_MS = 15_000

export interface DirectParts {
  readonly context: ExecContext
  readonly exec: Docker.Exec
  readonly socket: Duplex
  readonly died: Promise<number>
  readonly leader: string
  readonly kills: number
}

export abstract class DirectProgram implements Program {
  readonly leader: string
  readonly survives = false
  readonly exit: Promise<ProgramExit>
  /** Nothing is kept. */
  readonly acknowledged = FROM_THE_START
  readonly #parts: DirectParts

  constructor(parts: DirectParts) {
    this.#parts = parts
    const { context, exec, socket, died, kills, leader } = parts
    this.leader = leader
    // After an error the socket closes, and the close is handled.
    socket.on('error', () => undefined)
    this.exit = endOfExec({ exec, socket, died, exits: context.exits }).then(async (exitCode) => ({
      exitCode,
      cause: await context.causeOf(exitCode, kills),
    }))
  }

  abstract onOutput(listener: OutputListener): void

  acknowledge(): void {
    // No output is kept.
  }

  keep(): void {
    // The program ends with this backend.
  }

  release(): void {
    void this.hangUp().catch(() => undefined)
  }

  onDrain(listener: () => void): void {
    this.#parts.socket.on('drain', listener)
  }

  write(data: Uint8Array): boolean {
    const { socket } = this.#parts
    // The queue is full, and may grow no further, however often clients reconnect.
    if (socket.writableLength > INPUT_QUEUE_BYTES) return false
    return socket.writable ? socket.write(data) : true
  }

  endInput(): void {
    const { socket } = this.#parts
    if (socket.writable) socket.end()
  }

  async signal(name: ProgramSignal): Promise<void> {
    const argv = scriptArgv('signal', ...this.leader.split(':'), name)
    await this.#parts.context.run({ argv, timeoutMs: SIGNALLED_WITHIN_MS, maxOutputBytes: 1024 })
  }

  pause(): void {
    this.#parts.socket.pause()
  }

  resume(): void {
    this.#parts.socket.resume()
  }

  resize(cols: number, rows: number): void
  resize(): void {
    // Pipes have no size.
  }

  hangUp(): Promise<void> {
    return this.#parts.context.hangUp(this.leader)
  }
}
