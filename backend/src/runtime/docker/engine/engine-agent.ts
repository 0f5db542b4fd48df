/** The connections to the engine, which end together when it turns out to hang. */
import { Agent, type AgentOptions } from 'node:http'
import { Agent as TlsAgent } from 'node:https'
import type { Duplex } from 'node:stream'

/** What both kinds of agent have in common here. */
export interface EngineAgent extends Agent {
  /** Ends every request that waits for an answer and refuses new ones, with the error of a refused connection. */
  shut(): void
  /** Lets requests through again. */
  reopen(): void
}

type Connected = (error: Error | null, socket: Duplex) => void

const refused = (): Error => Object.assign(new Error('the container engine does not answer'), { code: 'ECONNREFUSED' })

/** Open sockets of terminals and programs are no part of it: they belong to whoever uses them, and outlast a pause. */
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

    override createConnection(options: never, connected?: Connected): Duplex | null | undefined {
      if (!this.#isShut) return super.createConnection(options, connected)
      connected?.(refused(), null as never)
      return undefined
    }
  }

const PlainEngineAgent = closable(Agent)
const TlsEngineAgent = closable(TlsAgent)

/** For an engine behind TLS or not. */
export const newEngineAgent = (protocol: string | undefined): EngineAgent =>
  protocol === 'https' ? new TlsEngineAgent() : new PlainEngineAgent()
