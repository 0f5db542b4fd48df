/** What a task has used, in the parts in which its CLI tells it: for each call of a model, or for a whole process. */
import type { ModelUsage, RunEvent } from '@slipway/protocol'
import { type Used, usedBy } from '../transcript/usage.ts'

/** Most parts that are kept. The page shows the newest. */
export const CALLS_MAX = 200

/** What a task used of one model since its CLI last told. */
export interface ModelCall {
  /** Number of the event that told it. */
  readonly id: number
  readonly at: string
  readonly model: string | null
  readonly used: Used
}

const less = (now: number | null, before: number | null | undefined): number | null =>
  now === null ? null : now - (before ?? 0)

const isSomething = (used: Used): boolean => Object.values(used).some((value) => value !== null && value !== 0)

export class ModelCalls {
  #calls: ModelCall[] = []
  /** The last totals of the present process, by model. */
  #before = new Map<string | null, Used>()

  /** The newest {@link CALLS_MAX}, the oldest first. */
  get all(): readonly ModelCall[] {
    return this.#calls
  }

  /** A new process of the CLI counts from the beginning. */
  beginProcess(): void {
    this.#before = new Map()
  }

  take({ seq, at, models }: Extract<RunEvent, { type: 'usage' }>): void {
    const told = models.flatMap((model) => this.#callOf({ id: seq, at }, model) ?? [])
    if (told.length > 0) this.#calls = [...this.#calls, ...told].slice(-CALLS_MAX)
  }

  #callOf(head: Pick<ModelCall, 'id' | 'at'>, usage: ModelUsage): ModelCall | null {
    const { model } = usage
    const [now, before] = [usedBy([usage]), this.#before.get(model)]
    this.#before.set(model, now)
    const used: Used = {
      inputTokens: less(now.inputTokens, before?.inputTokens),
      outputTokens: less(now.outputTokens, before?.outputTokens),
      cachedTokens: less(now.cachedTokens, before?.cachedTokens),
      costUsd: less(now.costUsd, before?.costUsd),
    }
    return isSomething(used) ? { ...head, model, used } : null
  }
}
