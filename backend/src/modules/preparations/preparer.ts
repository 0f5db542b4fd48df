/**
 * Prepares agents: clones a repository, runs the set-up, starts the first task. The database has the state, so that it
 * survives the server: a clone begins again, and a set-up that was cut off waits for a user to try again.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Signal } from '../../lib/emitter.ts'
import type { Log } from '../../lib/log.ts'
import { SECOND_MS } from '../../lib/time/clock.ts'
import type { Board } from '../agents/state/board.ts'
import type { AgentNews } from '../agents/news/topic.ts'
import type { Provisioner } from '../credentials/provision/provision.ts'
import type { Recovery } from '../sessions/recovery/recovery.ts'
import { Attempt, Over } from './attempt.ts'
import { PreparationChanges } from './changes.ts'
import type { Changes, PreparationRepository, PreparationRow } from './repository.ts'
import { ACTIVE, Failure, messageOf, type Steps, UNKNOWN } from './steps.ts'
import { type Live, toPreparation } from './view.ts'

export interface PreparerDeps {
  readonly repository: PreparationRepository
  readonly board: Pick<Board, 'get'>
  readonly steps: Steps
  readonly recovered: Recovery['decided']
  readonly provisioner: Pick<Provisioner, 'secrets'>
  readonly news: Pick<Signal<AgentNews>, 'emit'>
  readonly log: Log
}

/** Pause before the database is asked again to store a failure that it could not store, in milliseconds. */
const STORE_AGAIN_MS = 5 * SECOND_MS

const NO_ENGINE = 'The container engine does not answer. Try again in a moment.'
const CUT_OFF = 'The server stopped while the set-up ran. Try again to run it from its beginning.'

export class Preparer {
  readonly #deps: PreparerDeps
  /** Agents whose preparation waits: for the agent, or for its turn. */
  readonly #waiting = new Set<string>()
  /** By agent. */
  readonly #attempts = new Map<string, { readonly attempt: Attempt; readonly done: Promise<void> }>()
  readonly #changes = new PreparationChanges()
  readonly #stopping = new AbortController()
  readonly #storeAgainMs: number

  constructor(deps: PreparerDeps, storeAgainMs = STORE_AGAIN_MS) {
    this.#deps = deps
    this.#storeAgainMs = storeAgainMs
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted
  }

  /** Goes on with what an earlier server left. */
  async start(): Promise<void> {
    const { repository } = this.#deps
    for (const id of await repository.inState('setting_up'))
      await repository.turn(id, ['setting_up'], 'failed', { error: CUT_OFF })
    for (const id of await repository.inState('cloning')) await repository.turn(id, ['cloning'], 'waiting')
    for (const id of await repository.inState('waiting')) this.add(id)
  }

  /** What runs is left as it is in the database, for the next server. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.all([...this.#attempts.values()].map(({ done }) => done))
  }

  /**
   * Runs a change by a user together with what follows from it here: `add`, `end` and `tell`. No attempt changes the state in
   * between. Not for a change within another one.
   */
  change<T>(agentId: string, change: () => Promise<T>): Promise<T> {
    return this.#changes.run(agentId, change)
  }

  /** One waits for its agent to run, or begins at once. */
  add(agentId: string): void {
    this.#waiting.add(agentId)
    this.look(agentId)
  }

  /** The agent may run now. */
  look(agentId: string): void {
    const isReady = this.#waiting.has(agentId) && this.#deps.board.get(agentId).runningId !== null
    if (!isReady || this.#isStopping || this.#attempts.has(agentId)) return
    this.#waiting.delete(agentId)
    const attempt = new Attempt(
      (row, live) => this.tell(row, live),
      (change) => this.change(agentId, change),
    )
    const done = this.#attempt(agentId, attempt).finally(() => {
      attempt.over()
      this.#attempts.delete(agentId)
      // It was tried again while the programs of this attempt ended.
      this.look(agentId)
    })
    this.#attempts.set(agentId, { attempt, done })
  }

  /** Ends its programs. The state in the database decides that it does not go on. */
  end(agentId: string): void {
    this.#waiting.delete(agentId)
    this.#attempts.get(agentId)?.attempt.leave()
  }

  /** What is known of one in progress; null if it does not run. */
  live(agentId: string): Live | null {
    return this.#attempts.get(agentId)?.attempt.live ?? null
  }

  tell(row: PreparationRow, live: Live | null = null): void {
    const { agentId } = row
    this.#deps.news.emit({
      agentId,
      event: { type: 'agent:preparation', agentId, preparation: toPreparation(row, live, null) },
    })
  }

  /** Never rejects. */
  async #attempt(agentId: string, attempt: Attempt): Promise<void> {
    const { log } = this.#deps
    try {
      await this.#prepare(agentId, attempt)
    } catch (error) {
      // The next server goes on with what this one leaves.
      // After a cancellation, the state may already be that of the next attempt.
      if (error instanceof Over || attempt.left.aborted || this.#isStopping) return
      const message = messageOf(error)
      if (message === null) log.error({ agentId, err: error }, 'an agent could not be prepared')
      const changes = { error: message ?? UNKNOWN, output: attempt.live.output }
      await this.#fail(agentId, attempt, changes)
    }
  }

  /** Tries until the database has stored it, or this attempt or the server is over. Never rejects. */
  async #fail(agentId: string, attempt: Attempt, changes: Changes): Promise<void> {
    const { repository, log } = this.#deps
    const ended = AbortSignal.any([attempt.left, this.#stopping.signal])
    for (let isFirst = true; !ended.aborted; isFirst = false)
      try {
        // The answer to an earlier try may be lost, and a user may have tried the preparation again since.
        const failed = await attempt.change(async () =>
          this.#waiting.has(agentId) ? null : repository.turn(agentId, ACTIVE, 'failed', changes),
        )
        return this.tell(failed)
      } catch (error) {
        if (error instanceof Over) return
        if (isFirst) log.error({ agentId, err: error }, 'the end of a preparation could not be stored yet')
        await delay(this.#storeAgainMs, undefined, { signal: ended }).catch(() => undefined)
      }
  }

  async #prepare(agentId: string, attempt: Attempt): Promise<void> {
    const { repository, steps, recovered, provisioner } = this.#deps
    const goesOn = (): void => {
      if (attempt.left.aborted) throw new Over()
    }
    const row = await repository.find(agentId)
    if (row?.state !== 'waiting') return
    goesOn()
    const found = await steps.found(row)
    goesOn()
    // What an earlier server started in the agent has to end before.
    if (!(await recovered(null, agentId))) throw new Failure(NO_ENGINE)
    goesOn()
    attempt.hide(await provisioner.secrets(row.userId, found.row))
    goesOn()
    await steps.setVariables(row)
    goesOn()
    const cloned = await steps.clone(row, attempt)
    goesOn()
    await steps.confirm(cloned, attempt)
    goesOn()
    steps.checkImage(cloned, found)
    const prepared = await steps.setUp(cloned, attempt)
    goesOn()
    const output = attempt.live.output
    const started = await steps.startTask(prepared, attempt, () => this.#isStopping)
    this.tell(await attempt.change(() => repository.turn(agentId, ACTIVE, 'ready', { output, ...started })))
  }
}
