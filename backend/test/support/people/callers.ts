/** Callers that a test makes by hand. */
import type { Source } from '../../../src/modules/audit/actor.ts'
import type { Caller } from '../../../src/modules/identity/caller.ts'

/** The source of an act that no request caused. */
export const NOWHERE: Source = { address: null, requestId: null }

/** A caller who has no row in the database. */
export const aCaller = (change: Partial<Caller> = {}): Caller => ({
  userId: '01900000-0000-7000-8000-000000000001',
  email: 'caller@example.org',
  role: 'user',
  via: { kind: 'sign_in', signInId: '01900000-0000-7000-8000-000000000002' },
  source: NOWHERE,
  ...change,
})
