/** One channel of the kind `session`: what a client asks for before it starts a program, and while it runs. */
import type { ServerChannel, Session } from 'ssh2'
import { AppError } from '../../../lib/errors.ts'
import type { Log } from '../../../lib/log.ts'
import type { Program, ProgramSignal } from '../../../runtime/program.ts'
import { carry, type CarryDeps, type Started } from './carry.ts'
import { type Command, commandOf, mayBeSet, type Pty, SFTP, SHELL, sizeOf, termOf } from './commands.ts'
import { VARIABLES_MAX } from '../limits.ts'
import type { SocketRoom } from './output.ts'
import type { Wanted } from './programs.ts'

/** The exit status of OpenSSH's client where the program did not end by itself. */
const NO_STATUS = 255
const SIGNALS: Readonly<Record<string, ProgramSignal>> = { INT: 'INT', TERM: 'TERM', KILL: 'KILL' }

/** The answer to a request; absent if the client wants none. */
type Answer = (() => void) | undefined

/** The connection, as a channel needs it. */
export interface SessionContext extends CarryDeps {
  readonly room: SocketRoom
  /** Why nothing may run, or null. */
  readonly refusal: () => string | null
  /** Throws an `AppError` whose message is for the client. */
  readonly start: (command: Command, wanted: Wanted) => Promise<Started>
  readonly log: Log
}

export class SessionChannel {
  readonly #context: SessionContext
  readonly #left = new AbortController()
  readonly #env: Record<string, string> = {}
  #pty: Pty | null = null
  #channel: ServerChannel | null = null
  #program: Program | null = null
  #isOver = false

  constructor(session: Session, context: SessionContext) {
    this.#context = context
    session.on('pty', (accept: Answer, _reject: Answer, { cols, rows, term }) => {
      this.#pty = { ...sizeOf({ cols, rows }), term: termOf(term) }
      accept?.()
    })
    session.on('env', (accept: Answer, reject: Answer, { key, val }) => (this.#set(key, val) ? accept : reject)?.())
    session.on('window-change', (accept: Answer, _reject: Answer, size) => {
      this.#resize(sizeOf(size))
      accept?.()
    })
    session.on('signal', (accept: Answer, reject: Answer, { name }) => (this.#signal(name) ? accept : reject)?.())
    session.on('shell', (accept, reject: Answer) => this.#run(accept, reject, SHELL))
    session.on('exec', (accept, reject: Answer, { command }) => this.#run(accept, reject, commandOf(command)))
    session.on('subsystem', (accept, reject: Answer, { name }) => {
      if (name === 'sftp') this.#run(accept, reject, SFTP)
      else reject?.()
    })
    session.once('close', () => this.#left.abort())
  }

  /** Ends its program. The client is told why, if it is still there. */
  end(sentence: string | null): void {
    if (sentence !== null) this.#say(sentence)
    this.#left.abort()
  }

  #set(name: string, value: string): boolean {
    if (!mayBeSet(name, value) || Object.keys(this.#env).length >= VARIABLES_MAX) return false
    this.#env[name] = value
    return true
  }

  #resize(size: Pick<Pty, 'cols' | 'rows'>): void {
    if (!this.#pty) return
    this.#pty = { ...this.#pty, ...size }
    this.#program?.resize(size.cols, size.rows)
  }

  /** Whether it can be sent. A hang-up ends the channel. */
  #signal(name: string): boolean {
    if (name === 'HUP') {
      this.#left.abort()
      return true
    }
    const signal = Object.hasOwn(SIGNALS, name) ? SIGNALS[name] : undefined
    if (!signal || !this.#program) return false
    this.#program
      .signal(signal)
      .catch((error: unknown) => this.#context.log.warn({ err: error }, 'a signal over ssh was not delivered'))
    return true
  }

  #run(accept: () => ServerChannel | undefined, reject: Answer, command: Command | null): void {
    // A channel runs one program.
    if (this.#channel) return reject?.()
    const channel = accept()
    if (!channel) return
    this.#channel = channel
    // The client may close it before there is anything to say.
    for (const stream of [channel, channel.stderr]) stream.on('error', () => undefined)
    const refusal = this.#context.refusal()
    if (refusal !== null) return this.#say(refusal)
    if (command === null) return this.#say('A command must not contain a NUL.')
    void this.#carry(channel, command)
  }

  async #carry(channel: ServerChannel, command: Command): Promise<void> {
    const { start, room, log } = this.#context
    const pty = this.#pty
    try {
      const started = await start(command, { pty, env: this.#env })
      this.#program = started.program
      // The window may have changed meanwhile.
      if (this.#pty && this.#pty !== pty) started.program.resize(this.#pty.cols, this.#pty.rows)
      const client = { channel, room, isTerminal: pty !== null, left: this.#left.signal }
      const outcome = await carry(this.#context, started, client)
      this.#program = null
      if (outcome.kind === 'ended') return this.#say(outcome.ending.message)
      const { cause, exitCode } = outcome.exit
      if (cause !== 'exited') return this.#say(WHY[cause])
      this.#finish(exitCode ?? NO_STATUS)
    } catch (error) {
      if (error instanceof AppError) return this.#say(error.message)
      log.error({ err: error }, 'a program over ssh did not start')
      this.#say('The program could not be started. The log of the server says why.')
    }
  }

  #say(sentence: string): void {
    if (this.#isOver || !this.#channel) return
    this.#channel.stderr.write(`${sentence}\r\n`)
    this.#finish(NO_STATUS)
  }

  #finish(status: number): void {
    if (this.#isOver || !this.#channel) return
    this.#isOver = true
    this.#channel.exit(status)
    this.#channel.end()
  }
}

/** Why a program did not end by itself, for its person. */
const WHY = {
  out_of_memory: 'The program was ended because the agent ran out of memory.',
  container_stopped: 'The agent was stopped.',
  engine_unavailable: 'The container engine does not answer. Connect again in a moment.',
} as const
