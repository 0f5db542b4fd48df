/** Rights in agents that were taken just now. Whoever holds something open there listens and closes it. */
import type { Relation } from '@slipway/protocol'
import type { Since } from '../../lib/emitter.ts'
import { AppError, notFound } from '../../lib/errors.ts'
import type { Caller } from '../identity/caller.ts'
import { concerns, type Revocation, sentenceFor } from '../identity/revocations.ts'

/** With what rights somebody has something open in an agent. */
export interface Holding {
  readonly caller: Caller
  readonly row: { readonly id: string }
  /** Null: they are a stranger to the agent, and were let in all the same. */
  readonly relation: Relation | null
}

/** What was taken. */
export interface Taken {
  /** Whether it takes what is held with these rights. */
  from(holding: Holding): boolean
  /** What a request is answered that was on its way: as if it had come now. */
  refusal(): AppError
}

/** What was taken since somebody came: to be asked of again right before something is opened for them. */
export type Arrival = Since<Taken>

/** A changed role takes only what the role gave. */
export const byRevocation = (revocation: Revocation): Taken => {
  const isRole = revocation.kind === 'user' && revocation.because === 'role_changed'
  return {
    from: ({ caller, relation }) => concerns(revocation, caller) && (!isRole || relation === 'admin'),
    refusal: () => (isRole ? notFound() : new AppError('UNAUTHENTICATED', sentenceFor(revocation))),
  }
}

/** An admin, or whoever owns it meanwhile, does not have it by the share. */
export const byUnsharing = (agentId: string, userId: string): Taken => ({
  from: ({ caller, row, relation }) => row.id === agentId && caller.userId === userId && relation === 'sharee',
  refusal: notFound,
})

/** Nobody has anything in it any more. */
export const byDeletion = (agentId: string): Taken => ({
  from: ({ row }) => row.id === agentId,
  refusal: notFound,
})
