/** Stores how a run ends, once, or that it waits for the end of a usage limit or for a repair. */
import { setTimeout as delay } from 'node:timers/promises'
import { endOf, type Outcome } from '../end.ts'
import { sharesOf } from '../ledger/shares.ts'
import { continuesAt } from '../line/wait.ts'
import { retryMs } from './retry.ts'
import type { Collected, StoredRunEnd } from '../stored-end.ts'
import type { ConductDeps, ConductedRun } from './conducted.ts'
import type { Judgement } from './gate.ts'

type Deps = Pick<
  ConductDeps,
  'repository' | 'line' | 'repairs' | 'programs' | 'metrics' | 'clock' | 'log' | 'ended' | 'waits' | 'repaired'
>

export class EndRecord {
  readonly #deps: Deps
  readonly #run: ConductedRun
  #isStopping = false
  /** What was stored, or is being stored. */
  #end: StoredRunEnd | null = null
  #isWaiting = false
  #isTaken = false
  #isLeft = false

  constructor(deps: Deps, run: ConductedRun) {
    this.#deps = deps
    this.#run = run
  }

  /** What was stored, or is being stored, as the end; null before, and for a run that waits. */
  get end(): StoredRunEnd | null {
    return this.#end
  }

  /** Whether the run waits for the end of a usage limit, or for a repair. */
  get isWaiting(): boolean {
    return this.#isWaiting
  }

  /** Whether another backend has taken the run over. Then its program and its session are that backend's. */
  get isTaken(): boolean {
    return this.#isTaken
  }

  /** Whether its program keeps its end, because the database refused it until this backend stopped. */
  get isLeft(): boolean {
    return this.#isLeft
  }

  /** This backend stops: what the database refuses from now on is not tried again. */
  stop(): void {
    this.#isStopping = true
  }

  /** The program said more after its end was stored. */
  async extend(): Promise<void> {
    const { held, live, reader } = this.#run
    if (this.#end === null || live.lastSeq <= this.#end.lastSeq) return
    await this.#deps.repository.extended(held, live.lastSeq, reader.verdict.totals ?? []).catch((error: unknown) => {
      this.#deps.log.warn({ sessionId: held.id, err: error }, 'the last events of a run could not be counted')
    })
  }

  /**
   * Stores the end, or that the run waits. `decision` is that of its gate, if it has one. While the database refuses, it is tried again: no run is left running for ever.
   * Answers false if the run is another backend's by now.
   */
  async store(outcome: Outcome, collected: Collected | null, decision: Judgement | null = null): Promise<boolean> {
    const { held, open } = this.#run
    for (let tries = 0; ; tries += 1)
      try {
        if (!(await this.#wait(outcome)) && !(await this.#repair(decision)))
          await this.#storeEnd(outcome, collected, decision)
        this.#deps.programs.over(open)
        return !this.#isTaken
      } catch (error) {
        this.#deps.log.error({ sessionId: held.id, err: error, tries }, 'the end of a run could not be stored')
        if (this.#isStopping) {
          // The container keeps how it ended, for the next backend.
          this.#isLeft = outcome.kind === 'exited'
          throw error
        }
        await delay(retryMs(tries), undefined, { ref: false })
      }
  }

  async #storeEnd(outcome: Outcome, collected: Collected | null, decision: Judgement | null): Promise<void> {
    const { reader, held, names, live, meter } = this.#run
    const { repository, log, ended } = this.#deps
    const { verdict } = reader
    const end: StoredRunEnd = {
      ...meter.settled(endOf(outcome, verdict, names), verdict),
      ...refusalOf(decision),
      result: verdict.result,
      cliSessionId: verdict.sessionId,
      lastSeq: live.lastSeq,
      ...collected,
    }
    this.#end = end
    if (await repository.end(held, end)) return ended(this.#run, end)
    this.#isTaken = await repository.isTaken(held)
    log.warn({ sessionId: held.id, isTaken: this.#isTaken }, 'the end of a run was not stored, because it has another')
  }

  /** Answers whether the run waits for the end of a usage limit. */
  async #wait(outcome: Outcome): Promise<boolean> {
    const { reader, held, live, model, provider } = this.#run
    const { line, metrics, waits } = this.#deps
    const until = this.continuesAt(outcome)
    if (until === null) return false
    const { verdict } = reader
    const used = { usage: sharesOf(verdict, model), totals: verdict.totals ?? [] }
    const wait = { continuesAt: until, cliSessionId: verdict.sessionId, lastSeq: live.lastSeq, ...used }
    this.#isWaiting = await line.wait(held, wait)
    if (this.#isWaiting) {
      metrics.used(provider, used.usage)
      waits(this.#run, until)
    }
    return this.#isWaiting
  }

  /** Answers whether a repair follows in place of the end. */
  async #repair(decision: Judgement | null): Promise<boolean> {
    if (decision?.kind !== 'repairs' || decision.prompt === undefined) return false
    const { reader, held, live, model, provider } = this.#run
    const { repairs, metrics, repaired } = this.#deps
    const { verdict } = reader
    const { repair, prompt } = decision
    const used = { usage: sharesOf(verdict, model), totals: verdict.totals ?? [] }
    const said = { cliSessionId: verdict.sessionId, lastSeq: live.lastSeq }
    this.#isWaiting = await repairs.repair(held, { repair, prompt, ...said, ...used })
    if (this.#isWaiting) {
      metrics.used(provider, used.usage)
      repaired(this.#run)
    }
    return this.#isWaiting
  }

  /** The end of the usage limit for which the run waits; null if it does not wait. */
  continuesAt({ kind }: Outcome): Date | null {
    const { reader, waitsForLimit } = this.#run
    if (!waitsForLimit || (kind !== 'exited' && kind !== 'finished_without_exit')) return null
    return continuesAt(reader.verdict.failure, this.#deps.clock.now())
  }
}

/** What a gate changes in the end of a run. */
const refusalOf = (decision: Judgement | null): Partial<Pick<StoredRunEnd, 'state' | 'reason' | 'error'>> =>
  decision === null || decision.kind === 'completes'
    ? {}
    : { state: 'failed', reason: decision.reason, error: decision.error }
