/** Callers that a test makes by hand. */
import type { Source } from '../../src/modules/audit/actor.ts'
import type { Caller } from '../../src/modules/identity/caller.ts'

/** No request at all. */
export const NOWHERE: Source = { address: null, requestId: null }

/** Somebody who is nobody in the database. */
export const aCaller = (change: Partial<Caller> = {}): Caller => ({
  userId: '01900000-0000-7000-8000-000000000001',
  email: 'somebody@example.org',
  role: 'user',
  via: { kind: 'sign_in', signInId: '01900000-0000-7000-8000-000000000002' },
  source: NOWHERE,
  ...change,
})
