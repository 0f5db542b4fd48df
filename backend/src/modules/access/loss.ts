/** Rights in agents that were lost just now. What is open by such a right is closed. */
import type { Relation } from '@slipway/protocol'
import type { Since } from '../../lib/emitter.ts'
import { AppError, notFound } from '../../lib/errors.ts'
import type { Caller } from '../identity/caller.ts'
import { concerns, type Revocation, sentenceFor } from '../identity/revocations.ts'

/** By which rights something is open. */
export interface Holding {
  /** Null: a guest who came by a link and has not signed in. No loss is theirs. */
  readonly caller: Caller | null
  /** The agent; null for what belongs to no agent. */
  readonly row: { readonly id: string } | null
  /** Null: the caller is a stranger to the agent, and was let in all the same. */
  readonly relation: Relation | null
  /** Set for what runs in the agent's container: whether it has a credential of its user's own. */
  readonly personal?: boolean
}

/** Why an agent's container goes away. */
export type StopCause = 'agent_deleted' | 'container_stopped'

type Kind =
  | { readonly kind: 'revoked'; readonly revocation: Revocation }
  | { readonly kind: 'unshared' }
  | { readonly kind: 'shared' }
  | { readonly kind: 'deleted'; readonly agentName: string }
  | { readonly kind: 'stopped'; readonly agentName: string; readonly because: StopCause }

/** One loss. */
export type Loss = Kind & {
  /** Whether it ends what is open by these rights. */
  from(holding: Holding): boolean
}

/** Losses since a caller arrived: to be asked of once more right before something is opened for them. */
export type Arrival = Since<Loss>

/** A changed role takes only what the role gave, and whatever belongs to no agent. */
export const byRevocation = (revocation: Revocation): Loss => {
  const isRole = revocation.kind === 'user' && revocation.because === 'role_changed'
  return {
    kind: 'revoked',
    revocation,
    from: ({ caller, row, relation }) =>
      caller !== null && concerns(revocation, caller) && (!isRole || row === null || relation === 'admin'),
  }
}

/** The sharee loses the agent. A caller who owns it meanwhile, or is an admin, does not have it by the share. */
export const byUnsharing = (agentId: string, userId: string): Loss => ({
  kind: 'unshared',
  from: ({ caller, row, relation }) => row?.id === agentId && caller?.userId === userId && relation === 'sharee',
})

/** Sharees could read the environment of what runs, so personal credentials have to go. */
export const bySharing = (agentId: string): Loss => ({
  kind: 'shared',
  from: ({ row, personal }) => row?.id === agentId && personal === true,
})

/** Nothing runs in the agent any more; what is open otherwise, such as its log, stays. */
export const byStop = ({ id, name }: { readonly id: string; readonly name: string }, because: StopCause): Loss => ({
  kind: 'stopped',
  agentName: name,
  because,
  from: ({ caller, row, personal }) => caller !== null && row?.id === id && personal !== undefined,
})

/** The agent is gone, and with it everything in it. */
export const byDeletion = ({ id, name }: { readonly id: string; readonly name: string }): Loss => ({
  kind: 'deleted',
  agentName: name,
  from: ({ caller, row }) => caller !== null && row?.id === id,
})

/** What a request is answered that was on its way: as if it had come now. */
export const refusalOf = (loss: Loss): AppError => {
  switch (loss.kind) {
    case 'revoked': {
      const { revocation } = loss
      const isRole = revocation.kind === 'user' && revocation.because === 'role_changed'
      return isRole ? notFound() : new AppError('UNAUTHENTICATED', sentenceFor(revocation))
    }
    case 'stopped':
      return new AppError('WRONG_STATE', `Agent '${loss.agentName}' was stopped.`)
    case 'shared':
      return new AppError('WRONG_STATE', 'The agent is shared now. Try again.')
    case 'unshared':
    case 'deleted':
      return notFound()
  }
}
