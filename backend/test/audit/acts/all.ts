/** Every kind of act that the audit log has: how to prepare it, how to do it, and the rows that it leaves. */
import { ACCOUNT } from './people/account.ts'
import type { Act } from './act.ts'
import { AGENTS } from './agents.ts'
import { BUDGETS } from './tasks/budgets.ts'
import { CHANNELS } from './channels.ts'
import { CONVERSATIONS } from './tasks/conversations.ts'
import { CREDENTIALS } from './credentials.ts'
import { DIALOGS } from './tasks/dialogs.ts'
import { GIT } from './git.ts'
import { IN_AGENTS } from './in-agents.ts'
import { PORTS } from './ports.ts'
import { PROVIDERS } from './providers.ts'
import { RECORDINGS } from './recordings.ts'
import { RULES } from './rules.ts'
import { SCHEDULES } from './tasks/schedules.ts'
import { SIGNING_IN } from './people/signing-in.ts'
import { SKILLS } from './skills.ts'
import { TASKS } from './tasks/tasks.ts'
import { TEMPLATES } from './templates.ts'
import { TERMINALS } from './terminals.ts'
import { USERS } from './people/users.ts'
import { WEBHOOKS } from './webhooks.ts'

export const ACTS: readonly Act[] = [
  ...SIGNING_IN,
  ...USERS,
  ...ACCOUNT,
  ...AGENTS,
  ...IN_AGENTS,
  ...PORTS,
  ...GIT,
  ...TERMINALS,
  ...TASKS,
  ...CONVERSATIONS,
  ...DIALOGS,
  ...CHANNELS,
  ...BUDGETS,
  ...PROVIDERS,
  ...SCHEDULES,
  ...WEBHOOKS,
  ...SKILLS,
  ...TEMPLATES,
  ...RULES,
  ...RECORDINGS,
  ...CREDENTIALS,
]
