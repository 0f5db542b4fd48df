/** The program `dial` of each agent whose ports are used. It is started with the first use, and ends with its container. */
import { randomUUID } from 'node:crypto'
import { AppError } from '../../../lib/errors.ts'
import { SECOND_MS } from '../../../lib/time/clock.ts'
import { type Carrier, type CarrierDeps, openCarrier } from '../../../runtime/carried/open.ts'
import { RuntimeError } from '../../../runtime/errors.ts'
import type { Board } from '../../agents/state/board.ts'
import type { Attended } from '../../sessions/claim.ts'
import { type DialPipes, DialStreams } from './streams.ts'

/** Its path in the project's images. It belongs to root. */
const DIAL_PROGRAM = '/usr/local/lib/slipway/dial'
/** How long a failed start is not repeated, in milliseconds: a page asks every second. */
const AGAIN_MS = 10 * SECOND_MS

interface Deps extends CarrierDeps {
  readonly board: Pick<Board, 'get'>
  /** What all ports of one agent may carry, each way. */
  readonly bytesPerSecond: number
}

interface Dial {
  readonly containerId: string
  readonly attended: { sessionId: string; leader: string | null }
  readonly carrier: Promise<Carrier<DialStreams>>
}

export class Dials {
  readonly #deps: Deps
  readonly #dials = new Map<string, Dial>()
  #isStopping = false

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** The connections of an agent. Rejects with `WRONG_STATE` if it does not run, or its image has no such program. */
  async of(agentId: string): Promise<DialStreams> {
    const { runningId } = this.#deps.board.get(agentId)
    if (runningId === null || this.#isStopping)
      throw new AppError('WRONG_STATE', 'The agent does not run. Start it first.')
    const known = this.#dials.get(agentId)
    const dial = known?.containerId === runningId ? known : this.#start(agentId, runningId)
    return (await dial.carrier).carried
  }

  /** The program of an agent, as a session that accounts for its processes. */
  attended(agentId: string): Attended[] {
    const dial = this.#dials.get(agentId)
    return dial ? [dial.attended] : []
  }

  /** Ends all. */
  async stop(): Promise<void> {
    this.#isStopping = true
    const carriers = await Promise.allSettled([...this.#dials.values()].map(({ carrier }) => carrier))
    await Promise.allSettled(
      carriers.flatMap((started) => (started.status === 'fulfilled' ? [started.value.end()] : [])),
    )
  }

  #start(agentId: string, containerId: string): Dial {
    const sessionId = randomUUID()
    const attended: Dial['attended'] = { sessionId, leader: null }
    const spec = {
      argv: [DIAL_PROGRAM],
      sessionId,
      carried: (pipes: DialPipes) => new DialStreams(pipes, this.#deps.bytesPerSecond),
    }
    const carrier = openCarrier(this.#deps, containerId, spec).catch((error: unknown) => {
      const timer = setTimeout(forget, AGAIN_MS)
      timer.unref()
      throw this.#explained(error, containerId)
    })
    const dial: Dial = { containerId, attended, carrier }
    const forget = (): void => {
      if (this.#dials.get(agentId) === dial) this.#dials.delete(agentId)
    }
    this.#dials.set(agentId, dial)
    carrier.then(
      (started) => {
        attended.leader = started.leader
        void started.over.then(forget)
      },
      () => undefined,
    )
    return dial
  }

  /** The engine's own failures are told as they are. */
  #explained(error: unknown, containerId: string): unknown {
    if (error instanceof RuntimeError && error.code !== 'start_failed') return error
    this.#deps.log.warn({ containerId, err: error }, 'the program that reaches the ports of an agent did not start')
    return new AppError(
      'WRONG_STATE',
      "The agent's image has no program that reaches its ports. Build the image again with this version, and restart the agent.",
      { cause: error },
    )
  }
}
