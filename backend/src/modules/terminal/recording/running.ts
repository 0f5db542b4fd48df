/** One session that is being recorded. It sees every byte, and hands it to the writer's thread. */
import type { Ending } from '../../sessions/ending.ts'
import type { Mark, Observer } from '../session/viewers/observers.ts'
import type { Session } from '../session/session.ts'
import type { Size } from '@slipway/emulator'
import type { CastEvent } from './cast/lines.ts'
import { BLOCK_BYTES, type Extent, type FromWriter, type OpenCast } from './cast/messages.ts'
import type { Loss } from './cast/cast-file.ts'
import type { CastWriter } from './cast/writer.ts'
import { LABEL_OF_MARK } from './marks.ts'

/** Output within this time becomes one event, in milliseconds. The file is smaller, and a viewer sees no difference. */
const GATHER_MS = 10
/** Less output than this is sent as a copy, in bytes, so that a key's echo does not use up a whole block. */
const COPY_BYTES = 8_192
/** Most input that may wait for the disk, in bytes. Beyond it, input is dropped and a mark says so. */
const INPUT_BYTES = 1_048_576

/** How a recording ended: completely, or with a loss. Null: another server will continue it. */
export type RecordingEnd = 'complete' | Loss | null

interface Parts {
  readonly id: string
  readonly writer: Pick<CastWriter, 'block' | 'giveBack' | 'listen' | 'send'>
  /** Milliseconds since the recording began. */
  readonly elapsed: () => number
  /** Whether input is recorded, too. */
  readonly input: boolean
  /** Called once. `cause` is for the log. */
  readonly over: (end: RecordingEnd, cause: string | null) => void
}

export class RunningRecording implements Observer {
  readonly id: string
  input: boolean
  readonly #parts: Parts
  #session: Session | null = null
  #extent: Extent = { bytes: 0, atMs: 0 }
  #block: Buffer<ArrayBuffer> | null = null
  #used = 0
  #blockOffset = 0
  #blockAtMs = 0
  #timer: NodeJS.Timeout | null = null
  /** Offset up to which it has output of the session; null before the first byte. */
  #told: number | null = null
  #taken = 0
  #typed = 0
  #typedTaken = 0
  #missesInput = false
  #isOver = false
  #end: RecordingEnd = 'complete'

  constructor(parts: Parts) {
    this.#parts = parts
    this.id = parts.id
    this.input = parts.input
  }

  /** Bytes that are not on the disk yet. */
  get backlog(): number {
    return this.#told === null ? 0 : Math.max(0, this.#told - this.#taken)
  }

  /** The length of the file, in whole lines. */
  get extent(): Extent {
    return this.#extent
  }

  /** Begins the file, or continues it, and follows the session from now on. */
  follow(session: Session, open: Omit<OpenCast, 'type' | 'id'>, mark: string): void {
    this.#session = session
    this.#parts.writer.listen(this.id, (message) => this.#heard(message))
    this.#parts.writer.send({ ...open, type: 'open', id: this.id })
    this.#event('m', mark)
    // The session already has the container's earlier output. The writer leaves out what is in the file.
    const { start } = session
    this.output(session.read(start), start)
    session.observe(this)
  }

  output(chunk: Uint8Array, offset: number): void {
    if (this.#isOver) return
    if (this.#told === null) this.#taken = offset
    else if (offset !== this.#told) this.#flush()
    for (let at = 0; at < chunk.length;) {
      const block = (this.#block ??= this.#newBlock(offset + at))
      const piece = chunk.subarray(at, at + BLOCK_BYTES - this.#used)
      block.set(piece, this.#used)
      this.#used += piece.length
      at += piece.length
      if (this.#used === BLOCK_BYTES) this.#flush()
    }
    this.#told = offset + chunk.length
  }

  typed(data: Uint8Array): void {
    if (this.#isOver || !this.input) return
    const waits = this.#typed - this.#typedTaken
    if (waits + data.length > INPUT_BYTES) {
      if (!this.#missesInput) this.#event('m', 'Some of what was typed is missing here')
      this.#missesInput = true
      return
    }
    this.#missesInput = false
    this.#flush()
    this.#typed += data.length
    const bytes = new Uint8Array(data)
    const { id, writer, elapsed } = this.#parts
    writer.send({ type: 'input', id, bytes, atMs: elapsed() }, [bytes.buffer])
  }

  resized({ cols, rows }: Size): void {
    this.#event('r', `${cols}x${rows}`)
  }

  marked(mark: Mark): void {
    this.#event('m', LABEL_OF_MARK[mark])
  }

  ended(ending: Ending, goesOn: boolean): void {
    if (!goesOn) {
      this.#event('m', ending.message)
      if (ending.exitCode !== undefined) this.#event('x', String(ending.exitCode))
    }
    this.#close(goesOn ? null : 'complete')
  }

  failed(): void {
    if (this.#isOver) return
    // It may have failed because of the output that was gathered last.
    if (this.#timer) clearTimeout(this.#timer)
    this.#block = null
    this.#close('failed')
  }

  /** Masks these secrets, too, in everything that is not in the file yet. */
  learn(secrets: readonly string[]): void {
    if (!this.#isOver) this.#parts.writer.send({ type: 'secrets', id: this.id, secrets })
  }

  /** Ends the recording while the session goes on. */
  stop(mark: string): void {
    this.#event('m', mark)
    this.#close('complete')
    this.#session?.unobserve(this)
  }

  #close(end: RecordingEnd): void {
    if (this.#isOver) return
    this.#flush()
    this.#isOver = true
    this.#end = end
    this.#parts.writer.send({ type: 'close', id: this.id, isOver: end !== null })
  }

  #event(code: CastEvent, data: string): void {
    if (this.#isOver) return
    this.#flush()
    const { id, writer, elapsed } = this.#parts
    writer.send({ type: 'event', id, code, data, atMs: elapsed() })
  }

  #newBlock(offset: number): Buffer<ArrayBuffer> {
    this.#blockOffset = offset
    this.#blockAtMs = this.#parts.elapsed()
    this.#timer = setTimeout(() => this.#flush(), GATHER_MS)
    this.#timer.unref()
    return this.#parts.writer.block()
  }

  #flush(): void {
    const block = this.#block
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    if (!block || this.#used === 0) return
    const isSmall = this.#used < COPY_BYTES
    const bytes = isSmall ? new Uint8Array(block.subarray(0, this.#used)) : block.subarray(0, this.#used)
    const message = { type: 'output', id: this.id, bytes, offset: this.#blockOffset, atMs: this.#blockAtMs } as const
    this.#block = null
    this.#used = 0
    const { writer } = this.#parts
    if (isSmall) writer.giveBack(block.buffer)
    writer.send(message, [bytes.buffer])
  }

  #heard(message: FromWriter): void {
    const { bytes = this.#extent.bytes, atMs = this.#extent.atMs } = message
    this.#extent = { bytes, atMs }
    switch (message.type) {
      case 'taken':
        this.#taken = Math.max(this.#taken, message.offset)
        this.#typedTaken = message.input
        this.#session?.consumed()
        return
      case 'closed':
        return this.#parts.over(this.#end, null)
      case 'lost':
        this.#isOver = true
        this.#session?.unobserve(this)
        return this.#parts.over(message.loss, message.cause)
    }
  }
}
