/**
 * A program that a holder keeps inside the container. Its terminal is faster than Docker's own, and applies sizes in
 * order.
 */
import type { Duplex } from 'node:stream'
import type { Offsets, OutputListener, OutputName, Program, ProgramExit, ProgramSignal } from '../../program.ts'
import type { ExecContext } from '../program/context.ts'
import {
  ackFrame,
  endFrame,
  FrameError,
  inputEndFrame,
  inputFrame,
  type Notice,
  signalFrame,
  sizeFrame,
  waitFrame,
} from './frames.ts'
import type { Greeted } from './greet.ts'
import { HeldInput } from './input.ts'

/**
 * How much output is acknowledged at once, in bytes, or a quarter of the holder's log if that is less. Each
 * acknowledgement wakes the engine and the holder.
 */
const ACK_EVERY_BYTES = 262_144
/** Time from the request to end until no process is left, in milliseconds: 5 s of grace, the kills, and a reserve. */
const GONE_WITHIN_MS = 12_000
/** Time for sent data to leave before the socket is destroyed, in milliseconds. A hanging engine takes no data. */
const LEFT_WITHIN_MS = 1000
/** Exit code of a program that a signal ended, minus the signal's number, as in shells. */
const SIGNALLED = 128
const OUTPUTS = ['stdout', 'stderr'] as const

interface Parts {
  readonly context: ExecContext
  readonly socket: Duplex
  readonly held: Greeted
  /** Whether the container still holds it, as far as is known. Never rejects. */
  isStillHeld(): Promise<boolean>
}

export class HeldProgram implements Program {
  readonly leader: string
  readonly survives = true
  readonly exit: Promise<ProgramExit>
  readonly #parts: Parts
  readonly #gone: Promise<boolean>
  readonly #input: HeldInput
  readonly #ackEvery: number
  /** Offsets of the next bytes. */
  readonly #offsets: Record<OutputName, number>
  readonly #acknowledged: Record<OutputName, number>
  #status: number | null = null
  /** Whether the sender was not a holder. */
  #isBroken = false
  /**
   * Whether the data after the greeting was handled. If the program had ended, its last output and its end are there.
   */
  #isHeard = false
  /** Whether this side has closed. */
  #isLeft = false
  /** Whether the program was told to end. */
  #isEnding = false
  #settleGone: (isGone: boolean) => void = () => undefined
  #settleOver: () => void = () => undefined

  constructor(parts: Parts) {
    this.#parts = parts
    const { socket, held } = parts
    this.leader = held.leader
    this.#offsets = { ...held.from }
    this.#acknowledged = { ...held.from }
    this.#ackEvery = Math.min(ACK_EVERY_BYTES, held.logBytes / 4)
    this.#input = new HeldInput({
      isTerminal: held.size !== null,
      window: held.window,
      typing: held.typing,
      send: (bytes, flushed) => void (socket.writable && socket.write(inputFrame(bytes), flushed)),
      sendEnd: () => this.#send(inputEndFrame()),
    })
    this.#gone = new Promise((resolve) => {
      this.#settleGone = resolve
    })
    const over = new Promise<void>((resolve) => {
      this.#settleOver = resolve
    })
    socket.once('end', () => socket.destroy())
    // The error may have come in one piece with the greeting.
    this.#isBroken = socket.errored instanceof FrameError
    socket.on('error', (error) => (this.#isBroken ||= error instanceof FrameError))
    socket.once('close', () => this.#closed())
    this.exit = over.then(() => this.#howItEnded())
  }

  onOutput(listener: OutputListener): void {
    this.#parts.held.listen({
      output: (bytes, from, offset) => this.#output(bytes, from, offset, listener),
      notice: (notice) => this.#noticed(notice),
    })
    this.#isHeard = true
    if (this.#parts.socket.closed) this.#closed()
  }

  get acknowledged(): Offsets {
    return this.#acknowledged
  }

  acknowledge(of: OutputName, offset: number): void {
    if (offset - this.#acknowledged[of] < this.#ackEvery) return
    this.#acknowledged[of] = offset
    this.#send(ackFrame(of, offset))
  }

  keep(seconds: number): void {
    this.#send(waitFrame(seconds))
  }

  release(): void {
    this.#isLeft = true
    this.#input.abandon()
    const { socket } = this.#parts
    // Input leaves first.
    const late = setTimeout(() => socket.destroy(), LEFT_WITHIN_MS)
    socket.once('close', () => clearTimeout(late))
    socket.end(() => socket.destroy())
  }

  onDrain(listener: () => void): void {
    this.#input.onDrain(listener)
  }

  write(data: Uint8Array): boolean {
    return this.#input.push(data)
  }

  endInput(): void {
    if (this.#parts.held.size === null) this.#input.end()
  }

  signal(name: ProgramSignal): Promise<void> {
    this.#send(signalFrame(name))
    return Promise.resolve()
  }

  pause(): void {
    this.#parts.socket.pause()
  }

  resume(): void {
    this.#parts.socket.resume()
  }

  resize(cols: number, rows: number): void {
    this.#send(sizeFrame(cols, rows))
  }

  async hangUp(): Promise<void> {
    this.#isEnding = true
    this.#acknowledgeAll()
    this.#send(endFrame())
    const { socket, context } = this.#parts
    socket.resume()
    const late = new Promise<boolean>((resolve) => setTimeout(resolve, GONE_WITHIN_MS, false).unref())
    if (await Promise.race([this.#gone, late])) return
    // The holder was killed. Or it is of an earlier release, and stuck behind input that its program does not read.
    try {
      await context.hangUp(this.leader)
    } finally {
      // Also after a failure: while a client is attached, a holder does not end by itself, and its program would never
      // end.
      this.release()
    }
  }

  #send(frame: Buffer): void {
    if (this.#parts.socket.writable) this.#parts.socket.write(frame)
  }

  #acknowledgeAll(): void {
    for (const output of OUTPUTS) this.acknowledge(output, this.#offsets[output])
  }

  #output(bytes: Buffer, from: OutputName, offset: number, listener: OutputListener): void {
    // While a client is attached, a holder omits no output and sends the end last. Any other sender is not a holder.
    const isHolders = offset === this.#offsets[from] && this.#status === null && this.#has(from)
    if (!isHolders) return void this.#parts.socket.destroy(new FrameError('output out of order'))
    this.#offsets[from] += bytes.length
    listener(bytes, from, offset)
    // The client no longer reads, and output that is kept for it would keep the program from ending.
    if (this.#isEnding) this.#acknowledgeAll()
  }

  /** A terminal has only one output. */
  #has(output: OutputName): boolean {
    return output === 'stdout' || this.#parts.held.size === null
  }

  #closed(): void {
    if (!this.#isHeard && !this.#isLeft) return
    this.#settleGone(false)
    this.#settleOver()
  }

  /** A broken connection is not the program's end: the engine, or the connection to it, may have gone away. */
  async #howItEnded(): Promise<ProgramExit> {
    const { context, held, isStillHeld } = this.#parts
    if (this.#isLeft) return { exitCode: null, cause: 'engine_unavailable' }
    const exitCode = this.#status === null ? null : toExitCode(this.#status)
    const cause = await context.causeOf(exitCode, held.kills)
    const mayGoOn = this.#status === null && !this.#isBroken && cause === 'exited'
    return { exitCode, cause: mayGoOn && (await isStillHeld()) ? 'engine_unavailable' : cause }
  }

  #noticed(notice: Notice): void {
    if (notice.type === 'taken') this.#input.took(notice.bytes)
    if (notice.type === 'gone') this.#settleGone(true)
    // Only the first exit counts.
    if (notice.type !== 'exit' || this.#status !== null) return
    this.#status = notice.status
    this.#settleOver()
  }
}

/** Converts a status of waitpid to an exit code, as shells do. */
const toExitCode = (status: number): number => {
  const signal = status & 0x7f
  return signal === 0 ? (status >> 8) & 0xff : SIGNALLED + signal
}
