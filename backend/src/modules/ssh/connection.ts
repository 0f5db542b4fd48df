/** One connection of a person with a key to an agent: its channels, and how it ends. */
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Connection as Client, ServerChannel, Session, TcpipRequestInfo } from 'ssh2'
import type { Holding } from '../access/loss.ts'
import type { Caller } from '../identity/caller.ts'
import type { Admitted } from './door/admission.ts'
import type { CarryDeps } from './channel/carry.ts'
import { forward } from './channel/forward.ts'
import { CHANNELS_PER_CONNECTION, CLOSING_MS, REFUSED_MS } from './limits.ts'
import { SocketRoom } from './channel/output.ts'
import type { SshPrograms } from './channel/programs.ts'
import { SessionChannel } from './channel/session.ts'
import { refuseChannel } from './channel/ssh2-gaps.ts'

const TOO_MANY = `a connection has at most ${CHANNELS_PER_CONNECTION} channels`

export interface ConnectionDeps extends CarryDeps {
  readonly starter: Pick<SshPrograms, 'start'>
  /** Connects to a port of an agent's loopback. */
  readonly dial: (agentId: string, port: number) => Promise<Duplex>
}

/** Both sides of the wire. */
export interface Wire {
  readonly client: Client
  readonly socket: Socket
}

export class SshConnection implements Holding {
  readonly caller: Caller
  readonly row: Admitted['found']['row']
  readonly relation: Admitted['found']['relation']
  /** Its programs hold credentials themselves; see `programs.ts`. */
  readonly personal = false
  readonly keyId: string
  readonly #deps: ConnectionDeps
  readonly #wire: Wire
  readonly #by: Caller
  readonly #room: SocketRoom
  readonly #over = new AbortController()
  readonly #sessions = new Set<SessionChannel>()
  #channels = 0
  #refusal: string | null = null

  constructor(deps: ConnectionDeps, wire: Wire, { found, key, by }: Admitted) {
    this.#deps = deps
    this.#wire = wire
    this.#by = by
    this.caller = found.caller
    this.row = found.row
    this.relation = found.relation
    this.keyId = key.id
    this.#room = new SocketRoom(wire.socket)
  }

  /** From now on its client may open channels. */
  serve(): void {
    const { client, socket } = this.#wire
    client.on('session', (accept, reject) => this.#session(accept, reject))
    client.on('tcpip', (accept, reject, target) => {
      // A rejection without a listener would end the server.
      this.#forward(accept, reject, target).catch((error: unknown) =>
        this.#deps.log.warn({ err: error }, 'a connection forwarded over ssh broke'),
      )
    })
    socket.once('close', () => this.#close(null))
  }

  /** Runs nothing. Whatever its client asks for is answered with this sentence. */
  refuse(sentence: string): void {
    this.#refusal = sentence
    this.serve()
    setTimeout(() => this.end(sentence), REFUSED_MS).unref()
  }

  /**
   * Ends all of it at once: programs, forwarded connections and output. A client that has a program is told why, and has a
   * moment to leave by itself: OpenSSH's drops what it has not printed when it is disconnected. Repeatable.
   */
  end(sentence: string): void {
    const { client, socket } = this.#wire
    this.#close(sentence)
    if (this.#sessions.size === 0) client.end()
    setTimeout(() => {
      client.end()
      socket.destroySoon()
    }, CLOSING_MS).unref()
    // A client that does not read keeps no socket open.
    setTimeout(() => socket.destroy(), 2 * CLOSING_MS).unref()
  }

  #close(sentence: string | null): void {
    if (this.#over.signal.aborted) return
    this.#refusal ??= sentence ?? 'The connection is closed.'
    for (const session of [...this.#sessions]) session.end(sentence)
    this.#over.abort()
  }

  #session(accept: () => Session, reject: () => void): void {
    if (this.#channels >= CHANNELS_PER_CONNECTION) return refuseChannel(this.#wire.client, reject, TOO_MANY)
    this.#channels += 1
    const session = accept()
    const channel = new SessionChannel(session, {
      ...this.#deps,
      room: this.#room,
      refusal: () => this.#refusal,
      start: (command, wanted) => this.#deps.starter.start({ agentId: this.row.id, by: this.#by }, command, wanted),
    })
    this.#sessions.add(channel)
    session.once('close', () => {
      this.#sessions.delete(channel)
      this.#channels -= 1
    })
  }

  async #forward(accept: () => ServerChannel, reject: () => void, target: TcpipRequestInfo): Promise<void> {
    const refuse = (sentence: string): void => refuseChannel(this.#wire.client, reject, sentence)
    if (this.#refusal !== null) return refuse(this.#refusal)
    if (this.#channels >= CHANNELS_PER_CONNECTION) return refuse(TOO_MANY)
    this.#channels += 1
    const dial = (port: number): Promise<Duplex> => this.#deps.dial(this.row.id, port)
    const context = { room: this.#room, dial, log: this.#deps.log }
    await forward(context, target, { accept, refuse }, this.#over.signal).finally(() => (this.#channels -= 1))
  }
}
