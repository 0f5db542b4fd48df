/** The connections to the engine. If the engine hangs, they are closed together. */
import { Agent, type AgentOptions } from 'node:http'
import { Agent as TlsAgent } from 'node:https'
import type { Duplex } from 'node:stream'
import { inspect } from 'node:util'

/** The common interface of both kinds of agent. */
export interface EngineAgent extends Agent {
  /** Fails all pending requests, and refuses new ones with the error of a refused connection. */
  shut(): void
  /** Allows requests again. */
  reopen(): void
}

type Connected = (error: Error | null, socket: Duplex) => void

const refused = (): Error => Object.assign(new Error('the container engine does not answer'), { code: 'ECONNREFUSED' })

/**
 * Upgraded sockets of terminals and programs are not affected. Their users own them, and they may outlast a pause of
 * the engine.
 */
const closable = (Base: new (options?: AgentOptions) => Agent): new () => EngineAgent =>
  class extends Base implements EngineAgent {
    #isShut = false

    shut(): void {
      this.#isShut = true
      this.destroy()
    }

    reopen(): void {
      this.#isShut = false
    }

    /**
     * docker-modem writes out each request for its debug output, also where that is off, and with it the agent. All
     * sockets would take milliseconds for each open terminal.
     */
    [inspect.custom](): string {
      return 'EngineAgent'
    }

    override createConnection(options: never, connected?: Connected): Duplex | null | undefined {
      if (!this.#isShut) return super.createConnection(options, connected)
      connected?.(refused(), null as never)
      return undefined
    }
  }

const PlainEngineAgent = closable(Agent)
const TlsEngineAgent = closable(TlsAgent)

/** An agent for an engine with or without TLS. */
export const newEngineAgent = (protocol: string | undefined): EngineAgent =>
  protocol === 'https' ? new TlsEngineAgent() : new PlainEngineAgent()
