/** What Codex says of its turn, in whichever form it prints it. */
import type { ModelUsage, RunHappening } from '@slipway/protocol'
import type { Failure, Verdict } from '../headless.ts'
import { happeningOf } from '../parts/failures.ts'
import { used } from '../parts/happenings.ts'
import { bounded, type Fields } from '../parts/json.ts'
import { Repeats } from '../parts/repeats.ts'
import { shareOf } from '../parts/share.ts'
import { isWork } from '../parts/work.ts'
import { CodexItems, type Stage } from './items.ts'

/** The tokens of a thread, as Codex counts them: the input contains what was read from the cache and written to it. */
interface Tokens {
  readonly input: number | null
  readonly output: number | null
  readonly cacheRead: number | null
  readonly cacheWrite: number | null
}

/** The totals of one thread. Codex names no model and no price. All zeros mean that the model server told nothing. */
const totalsOf = ({ input, output, cacheRead, cacheWrite }: Tokens): readonly ModelUsage[] => {
  if ((input ?? 0) === 0 && (output ?? 0) === 0) return []
  return [
    {
      model: null,
      inputTokens: input === null ? null : Math.max(0, input - (cacheRead ?? 0) - (cacheWrite ?? 0)),
      outputTokens: output,
      cacheReadTokens: cacheRead,
      cacheWriteTokens: cacheWrite,
      costUsd: null,
    },
  ]
}

/** The one turn of a process. Codex prints whole messages, and totals that continue after a resume. */
export class CodexTurn {
  /** Null: not known. */
  #totalsBefore: readonly ModelUsage[] | null
  readonly #items = new CodexItems()
  readonly #repeats = new Repeats()
  #answer: string | null = null
  #isOver = false
  #hasWorked = false
  #failure: Failure | null = null
  /** The message of the last event about a failure. */
  #reported: string | null = null
  #totals: readonly ModelUsage[] = []

  constructor(totalsBefore: readonly ModelUsage[] | null = []) {
    this.#totalsBefore = totalsBefore
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** An item in the form of `codex exec`. */
  item(stage: Stage, item: Fields): readonly RunHappening[] {
    const read = this.#items.read(stage, item)
    const happenings = read.filter((one) => one.type !== 'text' || this.#repeats.next(one.text) !== '')
    if (!read.some(isWork)) return happenings
    this.#hasWorked = true
    this.#answer = read.findLast((one) => one.type === 'text')?.text ?? this.#answer
    if (read.some((one) => one.type !== 'text' && isWork(one))) this.#repeats.complete()
    // An error after which the work goes on was none.
    if (this.#isOver) return happenings
    this.#failure = null
    this.#reported = null
    return happenings
  }

  /** Codex asks the model again. */
  retries(message: string): readonly RunHappening[] {
    this.#repeats.broken()
    return [{ type: 'status', status: 'retrying', message: bounded(message) }]
  }

  /** Codex tells of a failure, which may not be the last word. It prints most failures twice. */
  error(failure: Failure): readonly RunHappening[] {
    this.#failure = failure
    if (failure.message === this.#reported) return []
    this.#reported = failure.message
    return [happeningOf(failure)]
  }

  /** The turn has failed. */
  fails(failure: Failure): readonly RunHappening[] {
    this.#isOver = true
    return this.error(failure)
  }

  counts(tokens: Tokens): void {
    const totals = totalsOf(tokens)
    if (totals.length > 0) this.#totals = totals
  }

  /** Codex repeats the totals of the turn before. They count if none are known. */
  repeats(tokens: Tokens): void {
    const totals = totalsOf(tokens)
    if (totals.length > 0) this.#totalsBefore ??= totals
  }

  /** The turn has done what it could. */
  completes(): readonly RunHappening[] {
    const isFirst = !this.#isOver
    this.#isOver = true
    this.#failure = null
    const happenings = used(this.#share())
    if (isFirst && this.#answer !== null) happenings.push({ type: 'result', text: this.#answer, isError: false })
    return happenings
  }

  /** The turn was ended early. */
  interrupted(): readonly RunHappening[] {
    const message = 'The turn was interrupted.'
    this.#isOver = true
    this.#failure = { reason: 'cli_error', message, status: null, resetsAt: null }
    return [...used(this.#share()), { type: 'status', status: 'notice', message }]
  }

  verdict(sessionId: string | null): Verdict {
    return {
      sessionId,
      result: this.#answer,
      isOver: this.#isOver,
      hasWorked: this.#hasWorked,
      failure: this.#failure,
      usage: this.#share(),
      totals: this.#totals,
      costUsd: null,
    }
  }

  #share(): readonly ModelUsage[] {
    return this.#totalsBefore === null ? [] : shareOf(this.#totals, this.#totalsBefore)
  }
}
