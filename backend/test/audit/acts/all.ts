/** Every class of act that is recorded: how it is prepared and done, and what is recorded of it. */
import { ACCOUNT } from './account.ts'
import type { Act } from './act.ts'
import { AGENTS } from './agents.ts'
import { CREDENTIALS } from './credentials.ts'
import { IN_AGENTS } from './in-agents.ts'
import { RECORDINGS } from './recordings.ts'
import { SIGNING_IN } from './signing-in.ts'
import { TERMINALS } from './terminals.ts'
import { USERS } from './users.ts'

export const ACTS: readonly Act[] = [
  ...SIGNING_IN,
  ...USERS,
  ...ACCOUNT,
  ...AGENTS,
  ...IN_AGENTS,
  ...TERMINALS,
  ...RECORDINGS,
  ...CREDENTIALS,
]
