import {
  CloseCode,
  type AuthSuccessFrame,
  type ClientFrame,
  type ErrorFrame,
  type PeopleFrame,
  type RecordedParts,
  type SnapshotFrame,
} from '@slipway/protocol'
import { Hearing } from '@/lib/timing/hearing.ts'
import { afterMs, type Schedule } from '@/lib/timing/schedule.ts'
import { Acknowledger } from './acknowledger.ts'
import { parseServerFrame, type Size } from './frames.ts'
import type { FirstFrame } from './hello.ts'
import { InputQueue } from './inputQueue.ts'
import { ProgramSize } from './programSize.ts'

/** Sent when the page leaves: for the server a loss of the socket, not a wish to end. */
export const PAGE_LEFT = 3001

/** How a session ended, as it was seen from here. */
export interface SessionEnd {
  by: 'user' | 'page' | 'server'
  code: number
  /** The last error frame before the end, with its sentence and reason. */
  frame: ErrorFrame | null
  /** Whether the program had been reached. */
  wasConnected: boolean
  /** Whether input was waiting that now does not arrive. */
  isInputCut: boolean
}

/** What the server says of the session. */
export interface Connected {
  sessionId: string | null
  /** What runs; null where the server does not say. */
  mode: string | null
  /** Whether it was there before. */
  resumed: boolean
  /** Of which agent, and whose it is; told to whoever came by a link. */
  agentName: string | null
  holder: string | null
  /** Whether it goes on while the server is restarted; so unless the server says otherwise. */
  survives: boolean
}

/** Only moves forward, and ends once. */
export type SessionState =
  { phase: 'connecting' } | ({ phase: 'connected' } & Connected) | { phase: 'ended'; end: SessionEnd }

export interface SessionOptions {
  url: string
  size: Size
  /** The first message, for somebody whose element has room for `size`. */
  hello: (size: Size) => FirstFrame
  /** Whether what is typed here counts until the server says who has control. */
  hasControl: boolean
  /**
   * Bytes for the parser, which calls `consumed` when it is done with them. To those of a replay no answer of the emulator may be
   * typed: the program has been answered, or has given up waiting, long ago.
   */
  onOutput: (bytes: Uint8Array, consumed: () => void, isReplay: boolean) => void
  /** What is on the screen is no part of what follows: the screen of a program that goes on, made for that size; null: a program begins. */
  onReset: (size: Size | null) => void
  /** What was there before is on the screen: from now on it may have the size of its element. */
  onRestored: () => void
  /** From here on the program has this size, by the choice of somebody else; null: that of its element. */
  onSize: (size: Size | null) => void
  /** Who is in the session, each time that this changes. */
  onPeople: (frame: PeopleFrame) => void
  /** What of the session is recorded: first when it is connected, then each time that this changes. */
  onRecorded: (parts: RecordedParts) => void
  /** Of what was typed here some does not arrive, because control has gone over. */
  onInputCut: (why: 'control') => void
  /** So many bytes of what was typed or pasted wait here for a while already; 0 when that is over. */
  onInputWaiting: (bytes: number) => void
  /** The network is said to be gone, and nothing was heard since; or that is over. */
  onDoubt: (isInDoubt: boolean) => void
  onState: (state: SessionState) => void
  openSocket?: (url: string) => WebSocket
  schedule?: Schedule
  /** See {@link Hearing}. */
  now?: () => number
}

/** One terminal session over one socket. For another one, make another. */
export class TerminalSession {
  #state: SessionState = { phase: 'connecting' }
  #by: SessionEnd['by'] = 'server'
  #frame: ErrorFrame | null = null
  #acks: Acknowledger | null = null
  /** Of the byte of output that comes next. */
  #offset: number | null = null
  #snapshotLeft = 0
  #isScreenMissing = false
  #replayLeft = 0
  /** Bytes of a screen, or of a replay, that are still to come or to be parsed: until then its size is not to change. */
  #restoring = 0
  /** What the first message said was received already. */
  #from: number | undefined
  /** Gives up a server that is silent, whether it was reached or not. */
  readonly hearing: Hearing
  #isReached = false
  readonly #size: ProgramSize
  readonly #input: InputQueue
  readonly #socket: WebSocket
  readonly #options: SessionOptions
  readonly #schedule: Schedule

  constructor(options: SessionOptions) {
    this.#options = options
    this.#schedule = options.schedule ?? afterMs
    const socket = (options.openSocket ?? ((url: string) => new WebSocket(url)))(options.url)
    this.#socket = socket
    socket.binaryType = 'arraybuffer'
    socket.onopen = () => {
      const hello = options.hello(this.#size.wanted)
      this.#from = hello.offset
      this.#isReached = true
      socket.send(JSON.stringify(hello))
    }
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => this.#receive(event.data)
    socket.onclose = (event) => this.#settle(event.code)
    this.#size = new ProgramSize({
      wanted: options.size,
      isOwn: options.hasControl,
      ask: (size) => this.#send({ type: 'resize', ...size }),
      show: options.onSize,
    })
    this.#input = new InputQueue(
      {
        send: (bytes) => socket.send(bytes),
        buffered: () => socket.bufferedAmount,
        waits: options.onInputWaiting,
      },
      this.#schedule,
    )
    this.hearing = new Hearing({
      awaited: () => this.#snapshotLeft + this.#replayLeft,
      onDoubt: options.onDoubt,
      onLost: () => this.#close('server', PAGE_LEFT),
      schedule: this.#schedule,
      now: options.now ?? (() => Date.now()),
    })
  }

  get state(): SessionState {
    return this.#state
  }

  /** Everything before it was received; null until the server has said where it begins. */
  get offset(): number | null {
    return this.#offset
  }

  /** Whether the server was reached, and told who this is. */
  get isReached(): boolean {
    return this.#isReached
  }

  /** Whether what is typed here counts. */
  get hasControl(): boolean {
    return this.#size.isOwn
  }

  /** Whether a screen was announced that has not come: what follows an offset alone would be drawn onto nothing. */
  get isScreenMissing(): boolean {
    return this.#isScreenMissing
  }

  /** Types into the program. False where it was not taken: no session, no control, or more than the queue holds. */
  write(bytes: Uint8Array): boolean {
    return this.#state.phase === 'connected' && this.hasControl && this.#input.push(bytes)
  }

  /** Whether any of what was typed or pasted waits here. */
  get isInputWaiting(): boolean {
    return this.#input.isWaiting
  }

  /** Drops what was typed or pasted and waits here. */
  dropInput(): void {
    this.#input.drop()
  }

  /** Only a changed size is sent, none before the program exists, and none without control. */
  resize(size: Size): void {
    this.#size.want(size)
  }

  /** Asks whoever has control for it, or does not any more. */
  ask(asks: boolean): void {
    this.#send({ type: 'ask_control', asks })
  }

  /** Hands control over to somebody of the session; whose session it is may take it back by their own id. */
  give(to: string): void {
    this.#send({ type: 'give_control', to })
  }

  /** Says no, for now, to somebody of the session who asks for control. */
  decline(to: string): void {
    this.#send({ type: 'decline_control', to })
  }

  /** Ends the session, processes and all. */
  disconnect(): void {
    this.#close('user', CloseCode.NORMAL)
  }

  /** The page goes away; what becomes of the session is the server's to decide. */
  leave(): void {
    this.#close('page', PAGE_LEFT)
  }

  #receive(data: string | ArrayBuffer): void {
    if (this.#state.phase === 'ended') return
    this.hearing.heard()
    if (typeof data !== 'string') return this.#output(new Uint8Array(data))
    const frame = parseServerFrame(data)
    if (frame?.type === 'auth_success' && this.#state.phase === 'connecting') this.#welcome(frame)
    else if (frame?.type === 'snapshot') this.#snapshot(frame)
    else if (frame?.type === 'size') this.#size.told({ cols: frame.cols, rows: frame.rows })
    else if (frame?.type === 'taken') this.#input.taken(frame.bytes)
    else if (frame?.type === 'people') this.#people(frame)
    else if (frame?.type === 'recorded') this.#options.onRecorded(frame.recorded)
    else if (frame?.type === 'error') this.#frame = frame
  }

  #welcome({ offset = 0, replay = 0, cols, rows, inputWindow, ...frame }: AuthSuccessFrame): void {
    if (inputWindow !== undefined) this.#input.allow(inputWindow)
    this.#begin(offset)
    this.#replayLeft = this.#restoring = replay
    if (this.#from !== offset) {
      this.#isScreenMissing = frame.resumed ?? false
      if (!this.#isScreenMissing) this.#options.onReset(null)
    }
    if (cols !== undefined && rows !== undefined) this.#size.told({ cols, rows })
    this.#options.onRecorded(frame.recorded ?? 'nothing')
    const { sessionId = null, mode = null, resumed = false, agentName = null, holder = null, survives = true } = frame
    this.#become({ phase: 'connected', sessionId, mode, resumed, agentName, holder, survives })
    if (replay === 0) this.#size.release()
  }

  #people(frame: PeopleFrame): void {
    const hasControl = frame.people.some((person) => person.hasControl && person.id === frame.you)
    const isLost = this.hasControl && !hasControl
    this.#size.control(hasControl)
    // It was meant for what ran then; whoever has control later may run something else.
    if (isLost && this.#input.stop()) this.#options.onInputCut('control')
    this.#options.onPeople(frame)
  }

  /** The output that was in between is skipped; the screen as it stands comes instead. */
  #snapshot({ bytes, offset, cols, rows, replay = 0 }: SnapshotFrame): void {
    this.#begin(offset)
    this.#snapshotLeft = bytes
    this.#isScreenMissing = bytes > 0
    this.#replayLeft = replay
    this.#restoring = bytes + replay
    this.#size.hold()
    this.#options.onReset({ cols, rows })
    this.#size.told({ cols, rows })
    if (this.#restoring === 0) this.#restored(0)
  }

  #begin(offset: number): void {
    this.#offset = offset
    this.#acks?.stop()
    this.#acks = new Acknowledger(offset, (parsed) => this.#send({ type: 'ack', offset: parsed }), this.#schedule)
  }

  #output(bytes: Uint8Array): void {
    const snapshot = bytes.subarray(0, this.#snapshotLeft)
    if (snapshot.length > 0) {
      this.#snapshotLeft -= snapshot.length
      this.#isScreenMissing = this.#snapshotLeft > 0
      this.#options.onOutput(snapshot, () => this.#restored(snapshot.length), true)
    }
    const rest = bytes.subarray(snapshot.length)
    const replay = rest.subarray(0, this.#replayLeft)
    this.#replayLeft -= replay.length
    this.#hand(replay, true)
    this.#hand(rest.subarray(replay.length), false)
  }

  #hand(bytes: Uint8Array, isReplay: boolean): void {
    if (bytes.length === 0) return
    this.#offset = (this.#offset ?? 0) + bytes.length
    const acks = this.#acks
    const consumed = (): void => {
      acks?.consumed(bytes.length)
      if (isReplay) this.#restored(bytes.length)
    }
    this.#options.onOutput(bytes, consumed, isReplay)
  }

  /** So many more bytes of what was before have been parsed. */
  #restored(bytes: number): void {
    if (this.#state.phase === 'ended') return
    this.#restoring = Math.max(0, this.#restoring - bytes)
    if (this.#restoring > 0) return
    this.#options.onRestored()
    this.#size.release()
  }

  #send(frame: ClientFrame): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return
    // One byte a character: the ids and numbers of these frames are ASCII.
    const text = JSON.stringify(frame)
    this.#socket.send(text)
    this.#input.passed(text.length)
  }

  // The closing handshake of a dead network takes long; the person who asked for the end sees it at once.
  #close(by: SessionEnd['by'], code: number): void {
    if (this.#state.phase === 'ended') return
    this.#by = by
    this.#socket.close(code)
    this.#settle(code)
  }

  #settle(code: number): void {
    if (this.#state.phase === 'ended') return
    this.hearing.stop()
    this.#acks?.stop()
    const isInputCut = this.#input.stop()
    const wasConnected = this.#state.phase === 'connected'
    this.#become({ phase: 'ended', end: { by: this.#by, code, frame: this.#frame, wasConnected, isInputCut } })
  }

  #become(state: SessionState): void {
    this.#state = state
    this.#options.onState(state)
  }
}
