/**
 * The expected answer to each kind of caller, on every route and socket. It is written by hand from what users may do,
 * and not derived from the policy's table, so that the two check each other.
 */
import { AGENT_ROWS } from './table/agents.ts'
import { PEOPLE_ROWS } from './table/people.ts'
import type { Row } from './table/row.ts'
import { SYSTEM_AGENT_ROWS } from './table/system-agent.ts'
import { TASK_ROWS } from './table/tasks.ts'
import { WEBHOOK_ROWS } from './table/webhooks.ts'

export type { Answer, Asking, Needs, Row } from './table/row.ts'

/** Every row, each in the part of its subject. */
export const TABLE: readonly Row[] = [
  ...PEOPLE_ROWS,
  ...AGENT_ROWS,
  ...TASK_ROWS,
  ...WEBHOOK_ROWS,
  ...SYSTEM_AGENT_ROWS,
]
