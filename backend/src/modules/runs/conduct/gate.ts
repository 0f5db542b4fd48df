/** Holds the end of a run back until its work is validated, and decides what follows. */
import { randomUUID } from 'node:crypto'
import type { RunHappening } from '@slipway/protocol'
import { endOf, type Outcome } from '../end.ts'
import { type Decision, decide, foundIn } from '../gate/decide.ts'
import type { Judged } from '../gate/judged.ts'
import type { Answer, Cut } from '../gate/gates.ts'
import { checkEvents } from '../gate/events.ts'
import { repairPrompt } from '../gate/prompt.ts'
import { costOf, sharesOf } from '../ledger/shares.ts'
import { SECOND_MS } from '../../../lib/time/clock.ts'
import { storeEvent } from './add.ts'
import type { ConductDeps, ConductedRun } from './conducted.ts'

/** A run that ends while it is validated, or that this backend lets go. */
export type Interruption = Outcome | { readonly kind: 'let_go' }

/** What the end of a run is after its gate. */
export interface Passed {
  readonly outcome: Outcome
  /** Null: no gate was in the way of this outcome. */
  readonly decision: Judgement | null
}

/** A decision, with the prompt if a repair follows. */
export type Judgement = Decision & { readonly prompt?: string }

/** The run goes on without this backend, or out of its reach. */
export interface LetGo {
  readonly kind: 'let_go'
  readonly isLost: boolean
}

interface Parts {
  /** Stores the last line. */
  readonly readRest: () => Promise<void>
  /** Resolves when the run is ended from outside, or let go. */
  readonly interrupted: Promise<Interruption>
  /** How long its processes have run, in milliseconds. */
  readonly workedMs: () => number
}

const NOT_JUDGED = {
  kind: 'fails',
  reason: 'not_verified',
  error: 'The agent was stopped before the task could be validated.',
} as const

export class RunGate {
  readonly #deps: Pick<ConductDeps, 'gates' | 'clock' | 'log'>
  readonly #run: ConductedRun
  readonly #parts: Parts

  constructor(deps: Pick<ConductDeps, 'gates' | 'clock' | 'log'>, run: ConductedRun, parts: Parts) {
    this.#deps = deps
    this.#run = run
    this.#parts = parts
  }

  /** Validates the work if the run would complete now. */
  async pass(outcome: Outcome): Promise<Passed | LetGo> {
    const { gate, held, program, reader, names, meter, changes } = this.#run
    if (!gate || (outcome.kind !== 'exited' && outcome.kind !== 'finished_without_exit'))
      return { outcome, decision: null }
    if (outcome.kind === 'finished_without_exit') {
      // A CLI that may still write is not validated.
      program.resume()
      await program.hangUp().catch(() => undefined)
    }
    await this.#parts.readRest()
    const { verdict } = reader
    if (meter.settled(endOf(outcome, verdict, names), verdict).state !== 'completed') return { outcome, decision: null }
    // The validation reads what changed.
    await changes.collect()
    await this.#tell(
      'running',
      gate.isAgain ? 'The validation was interrupted, and begins again.' : 'The validation begins.',
    )
    const cut = new AbortController()
    const answer = this.#deps.gates.judge({ held, workedMs: this.#parts.workedMs(), signal: cut.signal })
    const interruption = await Promise.race([this.#parts.interrupted, answer.then(() => null)])
    if (interruption) {
      cut.abort((interruption.kind === 'let_go' ? 'let_go' : 'ended') satisfies Cut)
      await answer
      return this.#interrupted(interruption)
    }
    return this.#decided(outcome, await answer)
  }

  #interrupted(interruption: Interruption): Passed | LetGo {
    if (interruption.kind === 'let_go') return { kind: 'let_go', isLost: false }
    return { outcome: interruption, decision: null }
  }

  async #decided(outcome: Outcome, answer: Answer): Promise<Passed | LetGo> {
    switch (answer.kind) {
      case 'interrupted':
        return this.#interrupted(await this.#parts.interrupted)
      case 'engine_unavailable':
        return { kind: 'let_go', isLost: true }
      case 'judged':
        return { outcome, decision: await this.#judged(answer) }
    }
  }

  async #judged(judged: Judged): Promise<Judgement> {
    if (judged.reason === 'agent_stopped') return NOT_JUDGED
    const { gate, reader, model, timeoutSeconds } = this.#run
    const { verdict } = reader
    const { costUsd } = costOf(sharesOf(verdict, model))
    const limitUsd = gate?.limitUsd ?? null
    const decision = decide(judged, {
      repairs: gate?.repairs ?? 0,
      begun: gate?.begun ?? 0,
      leftMs: timeoutSeconds * SECOND_MS - this.#parts.workedMs(),
      leftUsd: limitUsd === null ? null : limitUsd - (costUsd ?? 0),
      canContinue: verdict.sessionId !== null,
    })
    const repair = decision.kind === 'repairs' ? decision.repair : null
    const { evidence, personal } = judged
    await this.#add(...checkEvents(evidence.checks, !personal || this.#run.live.personal))
    await this.#tell(judged.state, foundIn(judged), repair)
    if (repair === null) return decision
    const mark = randomUUID()
    return { ...decision, prompt: repairPrompt(judged, { repair, repairs: gate?.repairs ?? repair, mark }) }
  }

  /** Adds to the events of the run. They are counted with its end, so they are stored before. */
  async #tell(state: Judged['state'] | 'running', message: string, repair: number | null = null): Promise<void> {
    await this.#add({ type: 'validation', state, message, repair })
  }

  async #add(...happenings: readonly RunHappening[]): Promise<void> {
    for (const happening of happenings) await storeEvent(this.#run, happening, this.#deps.clock.now())
  }
}
