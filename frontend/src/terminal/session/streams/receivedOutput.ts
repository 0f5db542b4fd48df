import type { SnapshotFrame } from '@slipway/protocol'
import type { Schedule } from '@/lib/timing/schedule.ts'
import type { Size } from '../frames.ts'
import { Acknowledger } from './acknowledger.ts'

interface Sink {
  /** Gets output for the parser, which calls `consumed` when it has processed the bytes. */
  parse: (bytes: Uint8Array, consumed: () => void, isReplay: boolean) => void
  /** Tells the server that the parser has consumed all output before this offset. */
  acknowledge: (offset: number) => void
  /** The next output replaces the screen, and is drawn for that size. */
  onSnapshot: (size: Size) => void
  /** The snapshot and the replay are on the screen. */
  onRestored: () => void
  schedule: Schedule
}

/** The output from the server: a snapshot, then a replay, then live output. Counts its offsets and acknowledges it. */
export class ReceivedOutput {
  #acks: Acknowledger | null = null
  #offset: number | null = null
  #snapshotLeft = 0
  #isScreenMissing = false
  #replayLeft = 0
  /** Bytes of a snapshot or replay still to arrive or to be parsed. */
  #restoring = 0
  #isStopped = false
  readonly #sink: Sink

  constructor(sink: Sink) {
    this.#sink = sink
  }

  /** All output before this offset has arrived. Null until {@link begin}. */
  get offset(): number | null {
    return this.#offset
  }

  /** Bytes of a snapshot or replay that have not arrived. */
  get awaited(): number {
    return this.#snapshotLeft + this.#replayLeft
  }

  /** Whether an announced snapshot is incomplete. Without it, later output would be drawn onto the wrong screen. */
  get isScreenMissing(): boolean {
    return this.#isScreenMissing
  }

  /**
   * Output continues at `offset`, and its first `replay` bytes are a replay. `isScreenMissing`: the server will send a
   * snapshot first.
   */
  begin(offset: number, replay: number, isScreenMissing: boolean): void {
    this.#continueAt(offset)
    this.#replayLeft = this.#restoring = replay
    this.#isScreenMissing = isScreenMissing
  }

  /** The server skips missed output and sends the present screen instead. */
  snapshot({ bytes, offset, cols, rows, replay = 0 }: SnapshotFrame): void {
    this.#continueAt(offset)
    this.#snapshotLeft = bytes
    this.#isScreenMissing = bytes > 0
    this.#replayLeft = replay
    this.#restoring = bytes + replay
    this.#sink.onSnapshot({ cols, rows })
    if (this.#restoring === 0) this.#restored(0)
  }

  /** Passes bytes from the server to the parser, each part as what it is. */
  receive(bytes: Uint8Array): void {
    const snapshot = bytes.subarray(0, this.#snapshotLeft)
    if (snapshot.length > 0) {
      this.#snapshotLeft -= snapshot.length
      this.#isScreenMissing = this.#snapshotLeft > 0
      this.#sink.parse(snapshot, () => this.#restored(snapshot.length), true)
    }
    const rest = bytes.subarray(snapshot.length)
    const replay = rest.subarray(0, this.#replayLeft)
    this.#replayLeft -= replay.length
    this.#pass(replay, true)
    this.#pass(rest.subarray(replay.length), false)
  }

  /** The session has ended: drops the pending acknowledgement, and reports nothing as restored any more. */
  stop(): void {
    this.#isStopped = true
    this.#acks?.stop()
  }

  #continueAt(offset: number): void {
    this.#offset = offset
    this.#acks?.stop()
    this.#acks = new Acknowledger(offset, (parsed) => this.#sink.acknowledge(parsed), this.#sink.schedule)
  }

  #pass(bytes: Uint8Array, isReplay: boolean): void {
    if (bytes.length === 0) return
    this.#offset = (this.#offset ?? 0) + bytes.length
    const acks = this.#acks
    const consumed = (): void => {
      acks?.consumed(bytes.length)
      if (isReplay) this.#restored(bytes.length)
    }
    this.#sink.parse(bytes, consumed, isReplay)
  }

  /** The parser has processed this many more bytes of the snapshot or replay. */
  #restored(bytes: number): void {
    if (this.#isStopped) return
    this.#restoring = Math.max(0, this.#restoring - bytes)
    if (this.#restoring === 0) this.#sink.onRestored()
  }
}
