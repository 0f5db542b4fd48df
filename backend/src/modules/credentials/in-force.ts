/** Which credential counts, for one person's terminal with one agent. Pure: knows neither secrets nor the database. */
import {
  CREDENTIAL_KIND_NAMES,
  CREDENTIAL_KINDS,
  CREDENTIAL_SERVICES,
  type CredentialInForce,
  type CredentialService,
} from '@slipway/protocol'
import { type CredentialOwner, ownerKey, PLATFORM } from './owner.ts'
import type { StoredCredential } from './repository.ts'

/** Who opens a terminal with what. */
export interface Situation {
  readonly userId: string
  /** Whether they signed in; an API token acts for them, and may be in other hands. */
  readonly signedIn: boolean
  readonly agentId: string
  /** Null for the system agent. */
  readonly ownerId: string | null
  /** How many people it is shared with. */
  readonly shares: number
  /** Whether others were let into it, and its owner has not confirmed since that their own credentials may be used. */
  readonly lent: boolean
  readonly useCredentials: boolean
  readonly useGitToken: boolean
}

/** What counts for one service. */
export interface Choice extends Pick<CredentialInForce, 'service' | 'source' | 'because'> {
  /** Null where there is none. */
  readonly credential: StoredCredential | null
}

type Source = Exclude<CredentialInForce['source'], 'none'>
type Level = { readonly source: Source; readonly owner: CredentialOwner }

/** Those whose credentials may count, the first before the others. */
export const levelsOf = ({ agentId, userId }: Situation): readonly Level[] => [
  { source: 'agent', owner: { type: 'agent', id: agentId } },
  { source: 'user', owner: { type: 'user', id: userId } },
  { source: 'platform', owner: PLATFORM },
]

/** The services that the switch for tokens is about; the other switch is about the rest. */
const TOKEN_SERVICES: readonly CredentialService[] = ['github', 'git']

/**
 * Why somebody's own credential must not be used, if so. What is in the environment of one process can be read by every
 * other in the container, which is to say by everybody who may open a terminal there.
 */
const personalBar = ({ userId, signedIn, ownerId, shares, lent }: Situation): CredentialInForce['because'] => {
  if (!signedIn) return 'api_token'
  if (ownerId !== userId) return 'not_yours'
  if (shares > 0) return 'shared'
  // They may have left a process, or a start-up file.
  return lent ? 'was_shared' : null
}

/** One choice for each service: the agent's, else the person's own, else the platform's, else none. */
export const choose = (stored: readonly StoredCredential[], situation: Situation): Choice[] =>
  CREDENTIAL_SERVICES.map((service) => chooseFor(service, stored, situation))

const chooseFor = (service: CredentialService, stored: readonly StoredCredential[], situation: Situation): Choice => {
  const on = TOKEN_SERVICES.includes(service) ? situation.useGitToken : situation.useCredentials
  if (!on) return { service, source: 'none', credential: null, because: 'off' }
  let because: CredentialInForce['because'] = null
  for (const { source, owner } of levelsOf(situation)) {
    const credential = firstOf(service, ownerKey(owner), stored)
    if (!credential) continue
    const bar = source === 'user' ? personalBar(situation) : null
    if (bar === null) return { service, source, credential, because }
    because = bar
  }
  return { service, source: 'none', credential: null, because }
}

const firstOf = (
  service: CredentialService,
  owner: string,
  stored: readonly StoredCredential[],
): StoredCredential | null => {
  const kinds = CREDENTIAL_KIND_NAMES.filter((kind) => CREDENTIAL_KINDS[kind].service === service)
  for (const kind of kinds) {
    const found = stored.find((credential) => credential.owner === owner && credential.kind === kind)
    if (found) return found
  }
  return null
}
