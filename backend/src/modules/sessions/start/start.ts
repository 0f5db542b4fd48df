/** The order in which a session starts: credentials, record, a last check of its right, program. */
import type { AgentOf, Provision } from '../../credentials/provision/provision.ts'
import type { Caller } from '../../identity/caller.ts'
import type { Facts } from '../../audit/audit.ts'
import type { GrantedClaim } from '../claim.ts'
import type { Ending } from '../ending.ts'
import type { SessionRecords } from '../records/records.ts'

export interface StartDeps<V extends Provision = Provision> {
  readonly provisioner: { provide(caller: Caller, agent: AgentOf): Promise<V> }
  readonly records: Pick<SessionRecords, 'begin' | 'running' | 'ended'>
}

/** The steps that differ between kinds of session. */
export interface StartSteps<P, V extends Provision> {
  /** Facts about its start for the audit log. */
  readonly facts?: Facts
  /** Why it must no longer start, or null. */
  readonly ended: () => Ending | null
  /** Starts the program. */
  readonly start: (provision: V) => Promise<P>
}

/** The session ended before its program started. */
export class EndedBeforeStart extends Error {
  override readonly name = 'EndedBeforeStart'
  readonly ending: Ending

  constructor(ending: Ending) {
    super(ending.message)
    this.ending = ending
  }
}

/**
 * Starts a session's program. If the database refuses the record, the session fails: no program runs without a record.
 * Throws what `records.begin` and the steps throw, and {@link EndedBeforeStart}.
 */
export const startSession = async <P extends { readonly leader: string }, V extends Provision>(
  { provisioner, records }: StartDeps<V>,
  claim: GrantedClaim,
  { facts, ended, start }: StartSteps<P, V>,
): Promise<P> => {
  const { sessionId } = claim
  const provision = await provisioner.provide(claim.caller, claim.row)
  claim.personal = provision.personal
  await records.begin(claim, facts)
  const ending = ended()
  if (ending) {
    records.ended(sessionId, ending)
    throw new EndedBeforeStart(ending)
  }
  const program = await start(provision).catch((error: unknown) => {
    records.ended(sessionId, { reason: 'failed_to_start' })
    return Promise.reject(error)
  })
  records.running(sessionId, program.leader)
  return program
}
