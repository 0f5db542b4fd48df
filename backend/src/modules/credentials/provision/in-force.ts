/** Chooses the credential for a user's terminal in an agent. Pure: it knows neither secrets nor the database. */
import {
  CREDENTIAL_KIND_NAMES,
  CREDENTIAL_KINDS,
  CREDENTIAL_SERVICES,
  type CredentialInForce,
  type CredentialService,
} from '@slipway/protocol'
import { type CredentialOwner, ownerKey, PLATFORM } from '../owner.ts'
import type { StoredCredential } from '../repository.ts'

/** The user who opens a terminal, and its agent. */
export interface Situation {
  readonly userId: string
  /** Whether the user signed in. An API token acts for its user, but others may hold it. */
  readonly signedIn: boolean
  readonly agentId: string
  /** Null for the system agent. */
  readonly ownerId: string | null
  /** Number of users that it is shared with. */
  readonly shares: number
  /** Whether other users had access, and its owner has not trusted it with their own credentials since. */
  readonly lent: boolean
  readonly useCredentials: boolean
  readonly useGitToken: boolean
}

/** The choice for one service. */
export interface Choice extends Pick<CredentialInForce, 'service' | 'source' | 'because'> {
  /** Null if there is none. */
  readonly credential: StoredCredential | null
}

type Source = Exclude<CredentialInForce['source'], 'none'>
type Level = { readonly source: Source; readonly owner: CredentialOwner }

/** The levels whose credentials may apply, highest precedence first. */
export const levelsOf = ({ agentId, userId }: Situation): readonly Level[] => [
  { source: 'agent', owner: { type: 'agent', id: agentId } },
  { source: 'user', owner: { type: 'user', id: userId } },
  { source: 'platform', owner: PLATFORM },
]

/** The services that the token switch controls; the other switch controls the rest. */
const TOKEN_SERVICES: readonly CredentialService[] = ['github', 'git']

/**
 * Why the user's own credential must not be used, or null. Every process in a container can read the environment of
 * every other one. Thus everyone who may open a terminal there could read the credential.
 */
const personalBar = ({ userId, signedIn, ownerId, shares, lent }: Situation): CredentialInForce['because'] => {
  if (!signedIn) return 'api_token'
  if (ownerId !== userId) return 'not_yours'
  if (shares > 0) return 'shared'
  // The others may have left a process or a start-up file.
  return lent ? 'was_shared' : null
}

/** Whether what is the user's own may be used. */
export const mayUsePersonal = (situation: Situation): boolean => personalBar(situation) === null

/** One choice for each service: the agent's credential, else the user's own, else the platform's, else none. */
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
