/**
 * Prepares agents: clones a repository, runs the set-up, starts the first task. The database has the state, so that it
 * survives the server: a clone begins again, and a set-up that was cut off waits for a user to try again.
 */
import type { Signal } from '../../lib/emitter.ts'
import type { Log } from '../../lib/log.ts'
import type { Board } from '../agents/state/board.ts'
import type { AgentNews } from '../agents/news/topic.ts'
import type { Provisioner } from '../credentials/provision/provision.ts'
import type { Recovery } from '../sessions/recovery/recovery.ts'
import { Attempt } from './attempt.ts'
import type { PreparationRepository, PreparationRow } from './repository.ts'
import { ACTIVE, Failure, messageOf, Over, type Steps, UNKNOWN } from './steps.ts'
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

const NO_ENGINE = 'The container engine does not answer. Try again in a moment.'
const CUT_OFF = 'The server stopped while the set-up ran. Try again to run it from its beginning.'

export class Preparer {
  readonly #deps: PreparerDeps
  /** Agents whose preparation waits: for the agent, or for its turn. */
  readonly #waiting = new Set<string>()
  /** By agent. */
  readonly #attempts = new Map<string, { readonly attempt: Attempt; readonly done: Promise<void> }>()
  #isStopping = false

  constructor(deps: PreparerDeps) {
    this.#deps = deps
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
    this.#isStopping = true
    await Promise.all([...this.#attempts.values()].map(({ done }) => done))
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
    const attempt = new Attempt((row, live) => this.tell(row, live))
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
      event: { type: 'agent:preparation', agentId, preparation: toPreparation(row, live) },
    })
  }

  /** Never rejects. */
  async #attempt(agentId: string, attempt: Attempt): Promise<void> {
    const { repository, log } = this.#deps
    try {
      await this.#prepare(agentId, attempt)
    } catch (error) {
      // The next server goes on with what this one leaves.
      // After a cancellation, the state may already be that of the next attempt.
      if (error instanceof Over || attempt.left.aborted || this.#isStopping) return
      const message = messageOf(error)
      if (message === null) log.error({ agentId, err: error }, 'an agent could not be prepared')
      const changes = { error: message ?? UNKNOWN, output: attempt.live.output }
      await repository.turn(agentId, ACTIVE, 'failed', changes).then(
        (failed) => failed && this.tell(failed),
        (unstored: unknown) => log.error({ agentId, err: unstored }, 'the end of a preparation could not be stored'),
      )
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
    const prepared = await steps.setUp(cloned, attempt)
    goesOn()
    const output = attempt.live.output
    const started = await steps.startTask(prepared, () => this.#isStopping)
    goesOn()
    const ready = await repository.turn(agentId, ACTIVE, 'ready', { output, ...started })
    if (!ready) throw new Over()
    this.tell(ready)
  }
}
