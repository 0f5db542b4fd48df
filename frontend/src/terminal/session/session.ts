import {
  CloseCode,
  type AuthSuccessFrame,
  type ClientFrame,
  type ErrorFrame,
  type PeopleFrame,
  type RecordedParts,
} from '@slipway/protocol'
import { Hearing } from '@/lib/timing/hearing.ts'
import { afterMs, type Schedule } from '@/lib/timing/schedule.ts'
import { parseServerFrame, type Size } from './frames.ts'
import type { FirstFrame } from './hello.ts'
import { ProgramSize } from './programSize.ts'
import { InputQueue } from './streams/inputQueue.ts'
import { ReceivedOutput } from './streams/receivedOutput.ts'

/** Close code when the page leaves. The server treats it as a lost socket, not as the end of the session. */
export const PAGE_LEFT = 3001

/** How a session ended, as the client sees it. */
export interface SessionEnd {
  by: 'user' | 'page' | 'server'
  code: number
  /** The last error frame before the end, with its message and reason. */
  frame: ErrorFrame | null
  /** Whether the program was connected. */
  wasConnected: boolean
  /** Whether waiting input was lost. */
  isInputCut: boolean
}

/** The server's description of the session. */
export interface Connected {
  sessionId: string | null
  /** The running program. Null if the server does not say. */
  mode: string | null
  /** Whether the session existed before. */
  resumed: boolean
  /** Name of the agent, and owner of the session. Only guests get these. */
  agentName: string | null
  holder: string | null
  /** Whether the session survives a restart of the server. True unless the server says otherwise. */
  survives: boolean
}

/** Moves forward only, and ends once. */
export type SessionState =
  | { phase: 'connecting' }
  | ({ phase: 'connected' } & Connected)
  | { phase: 'ended'; end: SessionEnd }

export interface SessionOptions {
  url: string
  size: Size
  /** Builds the first message, for an element with room for `size`. */
  hello: (size: Size) => FirstFrame
  /** Whether to assume that this user has control, until the server says who has. */
  hasControl: boolean
  /**
   * Output for the parser, which calls `consumed` when it has processed the bytes. During a replay, drop the emulator's
   * answers: its program got them long ago.
   */
  onOutput: (bytes: Uint8Array, consumed: () => void, isReplay: boolean) => void
  /** The next output replaces the screen: of a running program, drawn for that size, or null for a new program. */
  onReset: (size: Size | null) => void
  /** The snapshot or replay is on the screen. From now on the screen may have its element's size. */
  onRestored: () => void
  /** From here on the program has the size that another participant chose. Null for the element's own size. */
  onSize: (size: Size | null) => void
  /** The participants, at each change. */
  onPeople: (frame: PeopleFrame) => void
  /** Which parts of the session are recorded: once at the connection, then at each change. */
  onRecorded: (parts: RecordedParts) => void
  /** Some input was not sent, because another participant took control. */
  onInputCut: (why: 'control') => void
  /** Bytes of input that have waited for some time. 0 when none wait any more. */
  onInputWaiting: (bytes: number) => void
  /** True if the browser reports that the network is gone and no message has arrived since. False once that is over. */
  onDoubt: (isInDoubt: boolean) => void
  onState: (state: SessionState) => void
  openSocket?: (url: string) => WebSocket
  schedule?: Schedule
  /** See {@link Hearing}. */
  now?: () => number
}

/** One terminal session over one socket. Each reconnect needs a new instance. */
export class TerminalSession {
  #state: SessionState = { phase: 'connecting' }
  #by: SessionEnd['by'] = 'server'
  #frame: ErrorFrame | null = null
  /** The offset that the first message claimed to have. */
  #from: number | undefined
  /** Closes the connection if the server is silent, before or after the connection is open. */
  readonly hearing: Hearing
  #isReached = false
  readonly #size: ProgramSize
  readonly #output: ReceivedOutput
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
    this.#output = new ReceivedOutput({
      parse: options.onOutput,
      acknowledge: (offset) => this.#send({ type: 'ack', offset }),
      onSnapshot: (size) => {
        this.#size.hold()
        options.onReset(size)
        this.#size.told(size)
      },
      onRestored: () => {
        options.onRestored()
        this.#size.release()
      },
      schedule: this.#schedule,
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
      awaited: () => this.#output.awaited,
      onDoubt: options.onDoubt,
      onLost: () => this.#close('server', PAGE_LEFT),
      schedule: this.#schedule,
      now: options.now ?? (() => Date.now()),
    })
  }

  get state(): SessionState {
    return this.#state
  }

  /** All output before this offset has arrived. Null until the server has sent the first offset. */
  get offset(): number | null {
    return this.#output.offset
  }

  /** Whether the socket opened and the first message was sent. */
  get isReached(): boolean {
    return this.#isReached
  }

  /** Whether this user's input counts. */
  get hasControl(): boolean {
    return this.#size.isOwn
  }

  /** Whether an announced snapshot is incomplete. Without it, later output would be drawn onto the wrong screen. */
  get isScreenMissing(): boolean {
    return this.#output.isScreenMissing
  }

  /** Sends input to the program. False if it was refused: no session, no control, or a full queue. */
  write(bytes: Uint8Array): boolean {
    return this.#state.phase === 'connected' && this.hasControl && this.#input.push(bytes)
  }

  /** Whether any input still waits here. */
  get isInputWaiting(): boolean {
    return this.#input.isWaiting
  }

  /** Drops the input that still waits here. */
  dropInput(): void {
    this.#input.drop()
  }

  /** Sends a size only if it has changed, the program exists, and this user has control. */
  resize(size: Size): void {
    this.#size.want(size)
  }

  /** Asks the participant with control for it, or withdraws the request. */
  ask(asks: boolean): void {
    this.#send({ type: 'ask_control', asks })
  }

  /** Gives control to a participant. The owner takes it back with their own id. */
  give(to: string): void {
    this.#send({ type: 'give_control', to })
  }

  /** Declines, for now, a participant's request for control. */
  decline(to: string): void {
    this.#send({ type: 'decline_control', to })
  }

  /** Ends the session with its processes. */
  disconnect(): void {
    this.#close('user', CloseCode.NORMAL)
  }

  /** The page closes. The server decides whether the session waits. */
  leave(): void {
    this.#close('page', PAGE_LEFT)
  }

  #receive(data: string | ArrayBuffer): void {
    if (this.#state.phase === 'ended') return
    this.hearing.heard()
    if (typeof data !== 'string') return this.#output.receive(new Uint8Array(data))
    const frame = parseServerFrame(data)
    if (frame?.type === 'auth_success' && this.#state.phase === 'connecting') this.#welcome(frame)
    else if (frame?.type === 'snapshot') this.#output.snapshot(frame)
    else if (frame?.type === 'size') this.#size.told({ cols: frame.cols, rows: frame.rows })
    else if (frame?.type === 'taken') this.#input.taken(frame.bytes)
    else if (frame?.type === 'people') this.#people(frame)
    else if (frame?.type === 'recorded') this.#options.onRecorded(frame.recorded)
    else if (frame?.type === 'error') this.#frame = frame
  }

  #welcome({ offset = 0, replay = 0, cols, rows, inputWindow, ...frame }: AuthSuccessFrame): void {
    if (inputWindow !== undefined) this.#input.allow(inputWindow)
    const isOther = this.#from !== offset
    const isResumed = frame.resumed ?? false
    this.#output.begin(offset, replay, isOther && isResumed)
    if (isOther && !isResumed) this.#options.onReset(null)
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
    // The input was meant for the present program. The next participant with control may run another.
    if (isLost && this.#input.stop()) this.#options.onInputCut('control')
    this.#options.onPeople(frame)
  }

  #send(frame: ClientFrame): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return
    // One byte per character: ids and numbers in these frames are ASCII.
    const text = JSON.stringify(frame)
    this.#socket.send(text)
    this.#input.passed(text.length)
  }

  // In a dead network the closing handshake takes long, but the user must see the end at once.
  #close(by: SessionEnd['by'], code: number): void {
    if (this.#state.phase === 'ended') return
    this.#by = by
    this.#socket.close(code)
    this.#settle(code)
  }

  #settle(code: number): void {
    if (this.#state.phase === 'ended') return
    this.hearing.stop()
    this.#output.stop()
    const isInputCut = this.#input.stop()
    const wasConnected = this.#state.phase === 'connected'
    this.#become({ phase: 'ended', end: { by: this.#by, code, frame: this.#frame, wasConnected, isInputCut } })
  }

  #become(state: SessionState): void {
    this.#state = state
    this.#options.onState(state)
  }
}
