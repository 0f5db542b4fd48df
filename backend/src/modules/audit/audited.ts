/**
 * Which columns of the database are recorded when they change. A new column without a declaration in `audited/` does not
 * compile.
 */
import type { Prisma } from '../../database/generated/client.ts'
import { AGENTS } from './audited/agents.ts'
import type { Declaration } from './audited/columns.ts'
import { GIVEN } from './audited/given.ts'
import { PEOPLE } from './audited/people.ts'
import { TASKS } from './audited/tasks.ts'
import { TERMINALS } from './audited/terminals.ts'
import { WEBHOOKS } from './audited/webhooks.ts'

/** Every model is either here or in {@link NOT_AUDITED}. */
export const AUDITED = { ...PEOPLE, ...AGENTS, ...TERMINALS, ...GIVEN, ...TASKS, ...WEBHOOKS } as const

/** Models whose rows users do not change directly, with the reason why their columns are not recorded. */
export const NOT_AUDITED = {
  AuditEvent: 'is the log itself',
  Notice: 'follows from a question or from a terminal that waits, and says nothing that an answer does not say',
  PushDevice: 'that it is added and removed are events; its address and its keys are secrets of the browser',
  PushKeys: 'the server makes them at its first start',
  DashboardMark: 'is a user’s note for their own screen and affects no other user',
  AgentTemplateSecret: 'is part of a template, whose change is an event that names it',
  AgentPreparation:
    'is part of the request that creates its agent, whose event names it; that users cancel, retry or confirm it are events',
  Worktree: 'is made for a task, whose start is an event; that a user removes it is an event',
  PullRequest: 'repeats what a host answered; its opening is an event',
  Dialog: 'its question follows from a task; its answer is an event',
  RunUsage: 'follows from runs, whose starts and ends are events',
  ChatAccount: 'that it is linked and unlinked are events',
  ChatCode: 'that it is made and used are events; its hash is a secret',
  DeviceLogin: 'that a user allows or denies it is an event, and so is the token that follows; its hashes are secrets',
  ChatRoom: 'which channels an agent has is an event',
  ChatThread: 'shows a conversation, whose beginning is an event',
  ChatMessage: 'points to a message of a conversation, whose sending is an event',
  ChatQuestion: 'points to a question, whose answer is an event',
  Conversation: 'what users did is an event with its own facts',
  ConversationMessage: 'its sending, its changes and its withdrawal are events, and its text belongs to its user',
  Comparison: 'groups tasks, whose starts and archiving are events',
  ComparisonTarget: 'follows from the request that starts a task, whose start is an event',
  Validation: 'follows from a task; that a user starts one is an event, as its programs are',
  WebhookDelivery: 'follows from the end of a task; that a user tests or repeats one is an event',
  IdempotencyKey: 'what the request did is an event of its own',
  AgentEvent: 'is a journal of what happened by itself; what people did is here',
  Preferences: 'is a user’s choice for their own screen and affects no other user',
  SecretKeyState: 'is changed by the command that rotates the key, on the machine itself',
} as const satisfies Record<Exclude<Prisma.ModelName, keyof typeof AUDITED>, string>

/** A model whose changes are recorded. */
export type AuditedModel = keyof typeof AUDITED
/** The recorded change of one column. A missing side had no value. */
export type Change =
  | { readonly before?: unknown; readonly after?: unknown }
  | { readonly secret: 'set' | 'changed' | 'removed' }
export type Changes = Readonly<Record<string, Change>>

/** A row, as far as it is known. */
type Row<Model extends AuditedModel> = Partial<Record<keyof (typeof AUDITED)[Model], unknown>>

/** The differences, by the declarations. `before` is null for a new row, `after` for a removed one. */
export function changesOf<Model extends AuditedModel>(
  model: Model,
  before: Row<Model> | null,
  after: Row<Model> | null,
): Changes {
  const changes: Record<string, Change> = {}
  for (const [column, declaration] of Object.entries(AUDITED[model]) as [keyof Row<Model> & string, Declaration][]) {
    if (declaration === 'ignored' || declaration === 'fact') continue
    const [old, now] = [before?.[column] ?? null, after?.[column] ?? null]
    if (JSON.stringify(old) === JSON.stringify(now)) continue
    if (declaration === 'secret')
      changes[column] = { secret: old === null ? 'set' : now === null ? 'removed' : 'changed' }
    else changes[column] = { ...(before && { before: old }), ...(after && { after: now }) }
  }
  return changes
}
