/** How runs reach the validator, which a higher module is. */
import type { Held } from '../repository.ts'
import type { Judged } from './judged.ts'

/** A run whose validation is asked for. */
export interface Asked {
  readonly held: Held
  /** How long its processes have run, in milliseconds. It is stored before anything is validated. */
  readonly workedMs: number
  /** Aborted with a {@link Cut} when the run does not wait any more. */
  readonly signal: AbortSignal
}

/** Why a run does not wait for its validation any more: it ends, or this backend leaves it to the next one. */
export type Cut = 'ended' | 'let_go'

export type Answer =
  | ({ readonly kind: 'judged' } & Judged)
  /** This backend stops, so the next one validates. */
  | { readonly kind: 'interrupted' }
  /** The engine does not answer, so it is validated when it does. */
  | { readonly kind: 'engine_unavailable' }

/** Validates a run that has not ended. Never rejects. */
export type Judge = (asked: Asked) => Promise<Answer>

export class Gates {
  #judge: Judge | null = null

  /** Sets the one validator. Call it before any run is held. */
  handle(judge: Judge): void {
    this.#judge = judge
  }

  judge(asked: Asked): Promise<Answer> {
    if (!this.#judge) throw new Error('no validator was set')
    return this.#judge(asked)
  }
}
