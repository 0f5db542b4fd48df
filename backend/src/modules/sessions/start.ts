/** The order in which a session starts: credentials, its record, a last look at its right, the program. */
import type { Provision, Provisioner } from '../credentials/provision.ts'
import type { Facts } from '../audit/audit.ts'
import type { GrantedClaim } from './claim.ts'
import type { Ending } from './ending.ts'
import type { SessionRecords } from './records.ts'

export interface StartDeps {
  readonly provisioner: Pick<Provisioner, 'provide'>
  readonly records: Pick<SessionRecords, 'begin' | 'running' | 'ended'>
}

/** What differs between the kinds of sessions. */
export interface StartSteps<P> {
  /** Facts of its start for the audit log. */
  readonly facts?: Facts
  /** Why it must not start any more, or null. */
  readonly ended: () => Ending | null
  /** Starts the program. */
  readonly start: (provision: Provision) => Promise<P>
}

/** The session had to end before its program was started. */
export class EndedBeforeStart extends Error {
  override readonly name = 'EndedBeforeStart'
  readonly ending: Ending

  constructor(ending: Ending) {
    super(ending.message)
    this.ending = ending
  }
}

/**
 * Starts a session's program. A record that the database refuses refuses the session, so nothing runs that is not recorded.
 * Throws what `records.begin` and the steps throw, and {@link EndedBeforeStart}.
 */
export const startSession = async <P extends { readonly leader: string }>(
  { provisioner, records }: StartDeps,
  claim: GrantedClaim,
  { facts, ended, start }: StartSteps<P>,
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
