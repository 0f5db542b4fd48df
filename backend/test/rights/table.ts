/**
 * The expected answer to each kind of caller, on every route and socket. It is written by hand from what users may do,
 * and not derived from the policy's table, so that the two check each other.
 */
import { AGENT_ROWS } from './table/agents.ts'
import { CHANNEL_ROWS } from './table/channels.ts'
import { CONVERSATION_ROWS } from './table/conversations.ts'
import { GIT_ROWS } from './table/git.ts'
import { PEOPLE_ROWS } from './table/people.ts'
import type { Row } from './table/row.ts'
import { SYSTEM_AGENT_ROWS } from './table/system-agent.ts'
import { DIALOG_ROWS } from './table/dialogs.ts'
import { TASK_ROWS } from './table/tasks.ts'
import { RULE_ROWS } from './table/rules.ts'
import { SKILL_ROWS } from './table/skills.ts'
import { TEMPLATE_ROWS } from './table/templates.ts'
import { WEBHOOK_ROWS } from './table/webhooks.ts'

export type { Answer, Asking, Needs, Row } from './table/row.ts'

/** Every row, each in the part of its subject. */
export const TABLE: readonly Row[] = [
  ...PEOPLE_ROWS,
  ...AGENT_ROWS,
  ...GIT_ROWS,
  ...TASK_ROWS,
  ...CONVERSATION_ROWS,
  ...DIALOG_ROWS,
  ...CHANNEL_ROWS,
  ...WEBHOOK_ROWS,
  ...SKILL_ROWS,
  ...TEMPLATE_ROWS,
  ...RULE_ROWS,
  ...SYSTEM_AGENT_ROWS,
]
