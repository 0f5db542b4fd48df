/** Rights in agents that a caller has just lost. What is open by such a right is closed. */
import type { Relation } from '@slipway/protocol'
import type { Since } from '../../lib/emitter.ts'
import { AppError, notFound } from '../../lib/errors.ts'
import type { Caller } from '../identity/caller.ts'
import { concerns, type Revocation, sentenceFor } from '../identity/revocations.ts'

/** The rights by which something is open. */
export interface Holding {
  /** Null: a guest with a link who is not signed in. No loss concerns them. */
  readonly caller: Caller | null
  /** The agent; null for what belongs to no agent. */
  readonly row: { readonly id: string } | null
  /** Null: the caller has no relation to the agent, and was admitted by a link. */
  readonly relation: Relation | null
  /** For a program in the agent's container: whether it has a personal credential of its user. */
  readonly personal?: boolean
}

/** Why an agent's container stops. */
export type StopCause = 'agent_deleted' | 'container_stopped'

type Kind =
  | { readonly kind: 'revoked'; readonly revocation: Revocation }
  | { readonly kind: 'unshared'; readonly agentId: string; readonly userId: string }
  | { readonly kind: 'shared' }
  | { readonly kind: 'deleted'; readonly agentName: string }
  | { readonly kind: 'stopped'; readonly agentName: string; readonly because: StopCause }

/** One loss. */
export type Loss = Kind & {
  /** Whether this loss ends what is open by these rights. */
  from(holding: Holding): boolean
}

/** The losses since a caller's request arrived. Ask for them again right before something is opened for that caller. */
export type Arrival = Since<Loss>

/** A changed role ends only what the role allowed, and what belongs to no agent. */
export const byRevocation = (revocation: Revocation): Loss => {
  const isRole = revocation.kind === 'user' && revocation.because === 'role_changed'
  return {
    kind: 'revoked',
    revocation,
    from: ({ caller, row, relation }) =>
      caller !== null && concerns(revocation, caller) && (!isRole || row === null || relation === 'admin'),
  }
}

/** The sharee loses the agent. A caller who owns it by now, or is an admin, does not depend on the share. */
export const byUnsharing = (agentId: string, userId: string): Loss => ({
  kind: 'unshared',
  agentId,
  userId,
  from: ({ caller, row, relation }) => row?.id === agentId && caller?.userId === userId && relation === 'sharee',
})

/** Sharees can read the environment of what runs, so what has a personal credential ends. */
export const bySharing = (agentId: string): Loss => ({
  kind: 'shared',
  from: ({ row, personal }) => row?.id === agentId && personal === true,
})

/** All programs in the agent end. What needs no container, such as its log, stays open. */
export const byStop = ({ id, name }: { readonly id: string; readonly name: string }, because: StopCause): Loss => ({
  kind: 'stopped',
  agentName: name,
  because,
  from: ({ caller, row, personal }) => caller !== null && row?.id === id && personal !== undefined,
})

/** The agent is deleted, with everything in it. */
export const byDeletion = ({ id, name }: { readonly id: string; readonly name: string }): Loss => ({
  kind: 'deleted',
  agentName: name,
  from: ({ caller, row }) => caller !== null && row?.id === id,
})

/** The answer to a request during which the right was lost. It equals the answer to a new request. */
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
