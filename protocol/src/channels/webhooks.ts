/** Webhooks: addresses that hear of tasks, and addresses that start them. */
import Type, { type Static } from 'typebox'
import { AgentName } from '../agents/names.ts'
import { Nullable, Timestamp } from '../common.ts'
import { TEMPLATE_MAX } from '../tasks/prompt-fields.ts'
import { RUN_FIELDS } from '../tasks/runs.ts'
import { GateRepairs } from '../tasks/gate.ts'
import { WorktreeMode } from '../git/worktrees.ts'

/** Most outgoing webhooks of one user, and of the platform; and most incoming ones of one user. */
export const WEBHOOKS_MAX = 10
/** How many of its last deliveries a webhook keeps. Those that are still to be sent are kept besides. */
export const WEBHOOK_DELIVERIES_KEPT = 50
/** Longest prompt, result and error in a delivery, in UTF-16 code units. The rest is cut. */
export const WEBHOOK_TEXT_MAX = 10_000
/** Largest body of a call to an incoming webhook, in bytes. */
export const INCOMING_BODY_BYTES = 1024 * 1024
/** Tasks that calls to one incoming webhook may start in a minute. */
export const INCOMING_PER_MINUTE = 30
/** Longest value of a field in a prompt, in UTF-16 code units. The rest is cut. */
export const TEMPLATE_VALUE_MAX = 20_000

/** What a webhook hears of: a task has ended; a task waits for a usage limit to end; a task waits for people to answer. */
export const WEBHOOK_KINDS = ['task.ended', 'task.waiting', 'task.asks'] as const
export type WebhookKind = (typeof WEBHOOK_KINDS)[number]

const name = Type.String({ minLength: 1, maxLength: 100, pattern: '^[^\\u0000]*[^\\u0000\\s][^\\u0000]*$' })
const url = Type.String({
  minLength: 1,
  maxLength: 2048,
  pattern: '^[^\\u0000\\s]+$',
  description: 'An address with https or http.',
})
const enabled = Type.Optional(Type.Boolean({ default: true }))

export const CreateWebhook = Type.Object(
  {
    name,
    url,
    kinds: Type.Array(Type.Enum(WEBHOOK_KINDS), { minItems: 1, maxItems: WEBHOOK_KINDS.length, uniqueItems: true }),
    withText: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether deliveries hold the prompt, the result and the error.' }),
    ),
    enabled,
  },
  { additionalProperties: false },
)
export type CreateWebhook = Static<typeof CreateWebhook>

export const UpdateWebhook = Type.Partial(CreateWebhook, { additionalProperties: false })
export type UpdateWebhook = Static<typeof UpdateWebhook>

export const Webhook = Type.Object({
  id: Type.String(),
  name: Type.String(),
  /**
   * Null if the server has another secret key than the one it was stored with. An API token without the right to change it
   * gets the origin alone.
   */
  url: Nullable(Type.String()),
  kinds: Type.Array(Type.Enum(WEBHOOK_KINDS)),
  withText: Type.Boolean(),
  enabled: Type.Boolean(),
  /** Why the server switched it off; null if it did not. */
  disabledBecause: Nullable(Type.String()),
  /** Since when no delivery has succeeded; null if the last one did. */
  failingSince: Nullable(Timestamp),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Webhook = Static<typeof Webhook>

/** The only answers with the secret. */
export const CreatedWebhook = Type.Object({ ...Webhook.properties, secret: Type.String() })
export type CreatedWebhook = Static<typeof CreatedWebhook>

export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

export const WebhookDelivery = Type.Object({
  id: Type.String(),
  kind: Type.Enum([...WEBHOOK_KINDS, 'test'] as const),
  /** Null for a test. */
  taskId: Nullable(Type.String()),
  state: Type.Enum(DELIVERY_STATES),
  attempts: Type.Integer(),
  /** The HTTP status of the last attempt; null without an answer. */
  status: Nullable(Type.Integer()),
  /** Why the last attempt failed; null if it did not. */
  error: Nullable(Type.String()),
  createdAt: Timestamp,
  attemptedAt: Nullable(Timestamp),
  /** When the next attempt is due; null once it is over. */
  nextAt: Nullable(Timestamp),
})
export type WebhookDelivery = Static<typeof WebhookDelivery>

/** How a caller proves that it knows the secret: by the signature of GitHub, the token of GitLab, or the URL itself. */
export const HOOK_SOURCES = ['github', 'gitlab', 'url'] as const
export type HookSource = (typeof HOOK_SOURCES)[number]

const { provider, cwd, model, timeout_seconds, max_turns, max_budget_usd } = RUN_FIELDS

export const CreateIncomingHook = Type.Object(
  {
    name,
    source: Type.Enum(HOOK_SOURCES),
    /** For `github` and `gitlab`: the values of the event header that start a task. Empty: all. */
    events: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 100, pattern: '^[^\\u0000]+$' }), { maxItems: 50 }),
    ),
    prompt: Type.String({
      minLength: 1,
      maxLength: TEMPLATE_MAX,
      pattern: '^[^\\u0000]*[^\\u0000\\s][^\\u0000]*$',
      description: 'A text in which `{{field.path}}` stands for a field of the payload.',
    }),
    enabled,
    /** The agent's name. A user with one agent need not give it. */
    agent: Type.Optional(AgentName),
    provider: Type.Optional(Nullable(provider)),
    cwd: Type.Optional(Nullable(cwd)),
    model: Type.Optional(Nullable(model)),
    timeout_seconds: Type.Optional(Nullable(timeout_seconds)),
    max_turns: Type.Optional(Nullable(max_turns)),
    max_budget_usd: Type.Optional(Nullable(max_budget_usd)),
    /** Without it, the setting of the agent counts. */
    worktree: Type.Optional(Nullable(WorktreeMode)),
    /** Validates what each task did. */
    validate: Type.Optional(Nullable(Type.Boolean())),
    gate_repairs: GateRepairs,
  },
  { additionalProperties: false },
)
export type CreateIncomingHook = Static<typeof CreateIncomingHook>

export const UpdateIncomingHook = Type.Partial(CreateIncomingHook, { additionalProperties: false })
export type UpdateIncomingHook = Static<typeof UpdateIncomingHook>

export const IncomingHook = Type.Object({
  id: Type.String(),
  name: Type.String(),
  source: Type.Enum(HOOK_SOURCES),
  events: Type.Array(Type.String()),
  agent: Type.String(),
  prompt: Type.String(),
  /** The address to call. Null for `source: "url"`, where it has the secret. */
  url: Nullable(Type.String()),
  enabled: Type.Boolean(),
  /** Why the server switched it off; null if it did not. */
  disabledBecause: Nullable(Type.String()),
  /** Null: that of the agent at each start. */
  provider: Nullable(Type.String()),
  cwd: Nullable(Type.String()),
  model: Nullable(Type.String()),
  timeoutSeconds: Nullable(Type.Integer()),
  maxTurns: Nullable(Type.Integer()),
  maxBudgetUsd: Nullable(Type.Number()),
  worktree: Nullable(WorktreeMode),
  validate: Nullable(Type.Boolean()),
  /** How often each task may repair its work until its validation passes; null: it has no gate. */
  gateRepairs: Nullable(Type.Integer()),
  /** The last call with the right secret: the task that it started, or why it started none. Null if there was none. */
  lastCall: Nullable(Type.Object({ at: Timestamp, taskId: Nullable(Type.String()), refused: Nullable(Type.String()) })),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type IncomingHook = Static<typeof IncomingHook>

/** The only answers with the secret. */
export const CreatedIncomingHook = Type.Object({
  ...IncomingHook.properties,
  /** For `source: "url"`, the address has the secret. */
  url: Type.String(),
  /** What GitHub or GitLab is to be given; null for `source: "url"`. */
  secret: Nullable(Type.String()),
})
export type CreatedIncomingHook = Static<typeof CreatedIncomingHook>

/** The answer to a call with the right secret. */
export const HookReceipt = Type.Object({
  /** The task of this call, also if an earlier call with the same delivery started it. */
  taskId: Nullable(Type.String()),
  /** Why it started no task; null if it did. */
  ignored: Nullable(Type.String()),
})
export type HookReceipt = Static<typeof HookReceipt>
