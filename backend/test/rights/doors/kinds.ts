/** Collects what clients may ask for over SSH, from ssh2 itself. */
import ssh2 from 'ssh2'

type Listener = (...args: unknown[]) => void
interface Listening {
  on(event: string, listener: Listener): unknown
}

/** Events of a connection that open nothing. ssh2 refuses whatever has no listener. */
const OF_CONNECTION = ['authentication', 'ready', 'greeting', 'handshake', 'rekey', 'error', 'end', 'close']
/** Events that change a session, which runs nothing until one of the others comes. */
const OF_SESSION = ['pty', 'env', 'window-change', 'signal', 'close']

/** Collects the kinds of channels and programs that the server serves from now on, such as `SSH :name exec`. */
export class SshCollector {
  readonly #found = new Set<string>()
  readonly #prototype = (ssh2.Server as unknown as { IncomingClient: { prototype: Listening } }).IncomingClient
    .prototype

  constructor() {
    const { on } = this.#prototype
    const opened = this.#opened.bind(this)
    const add = this.#add.bind(this)
    this.#prototype.on = function (event, listener) {
      if (event === 'session') return on.call(this, event, opened(listener))
      if (!OF_CONNECTION.includes(event)) add(event)
      return on.call(this, event, listener)
    }
  }

  get addresses(): readonly string[] {
    return [...this.#found].sort()
  }

  stop(): void {
    delete (this.#prototype as Partial<Listening>).on
  }

  /** The listener for sessions, with sessions that tell what is listened for. */
  #opened(listener: Listener): Listener {
    return (accept, reject) =>
      listener(() => {
        const session = (accept as () => Listening)()
        const on = session.on.bind(session)
        session.on = (event, heard) => {
          if (!OF_SESSION.includes(event)) this.#add(event)
          return on(event, heard)
        }
        return session
      }, reject)
  }

  #add(event: string): void {
    this.#found.add(`SSH :name ${event}`)
  }
}
