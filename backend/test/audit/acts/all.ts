/** Every kind of act that the audit log has: how to prepare it, how to do it, and the rows that it leaves. */
import { ACCOUNT } from './account.ts'
import type { Act } from './act.ts'
import { AGENTS } from './agents.ts'
import { BUDGETS } from './budgets.ts'
import { CREDENTIALS } from './credentials.ts'
import { IN_AGENTS } from './in-agents.ts'
import { PROVIDERS } from './providers.ts'
import { RECORDINGS } from './recordings.ts'
import { SCHEDULES } from './schedules.ts'
import { SIGNING_IN } from './signing-in.ts'
import { TASKS } from './tasks.ts'
import { TERMINALS } from './terminals.ts'
import { USERS } from './users.ts'
import { WEBHOOKS } from './webhooks.ts'

export const ACTS: readonly Act[] = [
  ...SIGNING_IN,
  ...USERS,
  ...ACCOUNT,
  ...AGENTS,
  ...IN_AGENTS,
  ...TERMINALS,
  ...TASKS,
  ...BUDGETS,
  ...PROVIDERS,
  ...SCHEDULES,
  ...WEBHOOKS,
  ...RECORDINGS,
  ...CREDENTIALS,
]
