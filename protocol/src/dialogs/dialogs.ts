/** Questions to people: what an agent asks, who may answer it, and what was answered. */
import Type, { type Static } from 'typebox'
import { AgentName } from '../agents/names.ts'
import { RULE_OWNERS, RuleCovers, RULES_OF_QUESTION_MAX } from './approval-rules.ts'
import { Nullable, Timestamp } from '../common.ts'

/** Longest title, and longest text of any other kind, in UTF-16 code units. What a CLI asks is cut to them. */
export const DIALOG_TITLE_MAX = 200
export const DIALOG_TEXT_MAX = 16_384
/** Most options of a choice, and most fields of a form. */
export const DIALOG_OPTIONS_MAX = 100
export const DIALOG_FIELDS_MAX = 20
/** Dialogs of one task that may be open at the same time. */
export const DIALOGS_OPEN_PER_RUN = 20
/** Dialogs that one user may have asked by the API, and that are open. */
export const DIALOGS_ASKED_PER_USER = 50
/** The longest time to answer a dialog that was asked by the API, in seconds: a week. */
export const DIALOG_SECONDS_MAX = 604_800
/** How long a request waits for an answer at most, in seconds. Proxies cut connections that are silent for a minute. */
export const DIALOG_WAIT_SECONDS = 50
/** Requests of one user that wait for answers at the same time. */
export const DIALOG_WAITS_PER_USER = 20
/** Most dialogs of one answer. */
export const DIALOGS_LIMIT_MAX = 1_000

export const DIALOG_KINDS = ['approval', 'select', 'confirm', 'input', 'editor', 'form'] as const
export type DialogKind = (typeof DIALOG_KINDS)[number]

/**
 * `expired`: its time is over, which is never a yes. `withdrawn`: what asked does not wait any more, for example
 * because its task has ended.
 */
export const DIALOG_STATES = ['open', 'answered', 'cancelled', 'expired', 'withdrawn'] as const
export const DialogState = Type.Enum(DIALOG_STATES)
export type DialogState = (typeof DIALOG_STATES)[number]

const text = (maxLength: number) => Type.String({ maxLength })
const title = Type.String({ minLength: 1, maxLength: DIALOG_TITLE_MAX })

export const DialogOption = Type.Object(
  { value: text(1000), label: text(1000), description: Nullable(text(DIALOG_TEXT_MAX)) },
  { additionalProperties: false },
)
export type DialogOption = Static<typeof DialogOption>

const options = Type.Array(DialogOption, { minItems: 1, maxItems: DIALOG_OPTIONS_MAX })

/** One field of a form. Its answer is a text, a number, a boolean, or several of its options. */
export const DialogField = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200 }),
    label: text(1000),
    description: Nullable(text(DIALOG_TEXT_MAX)),
    type: Type.Enum(['string', 'number', 'integer', 'boolean', 'select'] as const),
    required: Type.Boolean(),
    /** Of a `select`; null for the other types. */
    options: Nullable(options),
    /** Whether several options may be chosen. */
    multiple: Type.Boolean(),
    /** Whether a text of one's own may be the answer to a `select`. */
    custom: Type.Boolean(),
  },
  { additionalProperties: false },
)
export type DialogField = Static<typeof DialogField>

const kind = <K extends DialogKind>(name: K) => ({ kind: Type.Literal(name) })

/** A CLI wants to use a tool. */
const Approval = Type.Object({
  ...kind('approval'),
  tool: text(DIALOG_TITLE_MAX),
  /** Of a shell; null for other tools. */
  command: Nullable(text(DIALOG_TEXT_MAX)),
  /** The file that it would change, or null. */
  path: Nullable(text(4096)),
  /** The CLI's own JSON value. */
  input: Type.Unknown(),
  /** Why the CLI asks, in its words; null if it does not say. */
  why: Nullable(text(DIALOG_TEXT_MAX)),
  /**
   * How much damage it can do: 0 only reads; 1 can be brought back; 2 has effects outside, or is not known; 3 cannot be
   * brought back, or hides what it does.
   */
  tier: Type.Integer({ minimum: 0, maximum: 3 }),
  /** Why it has this tier, as sentences. */
  reasons: Type.Array(Type.String()),
  /** Whether the command may be changed before it is allowed. */
  editable: Type.Boolean(),
  /** Whether the CLI is told the reason of a denial. Absent: it is. */
  takesReason: Type.Optional(Type.Boolean()),
  /** What rules for it would be. Together they decide the same question the next time. Absent or empty: no rule can. */
  rules: Type.Optional(Type.Array(RuleCovers, { maxItems: RULES_OF_QUESTION_MAX })),
})

/** Makes rules of the decision, for the same question the next time. */
const Always = Type.Object(
  {
    /** Whose rules: of the user, who must be the one whose task asks; of the agent; or of the platform. */
    of: Type.Enum(RULE_OWNERS),
    /** When they end. Without it, they stay until they are deleted. */
    expiresAt: Type.Optional(Timestamp),
  },
  { additionalProperties: false },
)
const always = { always: Type.Optional(Always) }

const exact = { additionalProperties: false } as const
/** What anybody may ask. */
const OTHERS = [
  Type.Object({ ...kind('select'), options, multiple: Type.Boolean() }, exact),
  Type.Object({ ...kind('confirm') }, exact),
  Type.Object({ ...kind('input'), placeholder: Nullable(text(1000)) }, exact),
  Type.Object({ ...kind('editor'), prefill: text(DIALOG_TEXT_MAX) }, exact),
  Type.Object(
    { ...kind('form'), fields: Type.Array(DialogField, { minItems: 1, maxItems: DIALOG_FIELDS_MAX }) },
    exact,
  ),
] as const

/** The same as one schema. */
export const AskableQuestion = Type.Union([...OTHERS])

/** What is asked. */
export const DialogQuestion = Type.Union([Approval, ...OTHERS])
export type DialogQuestion = Static<typeof DialogQuestion>
/** One kind of them. */
export type QuestionOf<K extends DialogKind> = Extract<DialogQuestion, { kind: K }>

const FieldValue = Type.Union([
  text(DIALOG_TEXT_MAX),
  Type.Number(),
  Type.Boolean(),
  Type.Array(text(1000), { maxItems: DIALOG_OPTIONS_MAX }),
])

/** An answer to an approval: `command` is what is to run in place of the one that was asked about. */
const Allowed = Type.Object(
  {
    decision: Type.Literal('allow'),
    command: Type.Optional(Type.String({ minLength: 1, maxLength: DIALOG_TEXT_MAX })),
    ...always,
  },
  { additionalProperties: false },
)
const Denied = Type.Object(
  {
    decision: Type.Literal('deny'),
    /** What the CLI is told. */
    reason: Type.Optional(text(DIALOG_TEXT_MAX)),
    ...always,
  },
  { additionalProperties: false },
)

/**
 * The answer to any other kind: the value of the option or the values of several, yes or no, a text, or the values of a
 * form by the names of its fields.
 */
const Value = Type.Object(
  { value: Type.Union([FieldValue, Type.Record(Type.String({ maxLength: 200 }), FieldValue)]) },
  { additionalProperties: false },
)

export const AnswerDialog = Type.Union([Allowed, Denied, Value])
export type AnswerDialog = Static<typeof AnswerDialog>

export const Dialog = Type.Object({
  id: Type.String(),
  /** The agent whose program asks; null after it was deleted. */
  agent: Nullable(Type.String()),
  /** The task that asks. */
  sessionId: Nullable(Type.String()),
  /** The user whose task asks; null: a program in the agent asks outside of a task. */
  userId: Nullable(Type.String()),
  /** What the events of the task call it. */
  requestId: Nullable(Type.String()),
  /** The working folder of the program that asks, an absolute path; null if it is not known. */
  folder: Nullable(Type.String()),
  title,
  message: Nullable(text(DIALOG_TEXT_MAX)),
  question: DialogQuestion,
  state: DialogState,
  openedAt: Timestamp,
  /** When it closes without an answer; null: it waits as long as what asked it. */
  expiresAt: Nullable(Timestamp),
  /** Null while it is open. */
  closedAt: Nullable(Timestamp),
  /** Null without an answer. */
  answer: Nullable(AnswerDialog),
  /** The e-mail address of the user who answered or cancelled it, or null. */
  closedBy: Nullable(Type.String()),
})
export type Dialog = Static<typeof Dialog>

/** A question that a program asks by the API, in the name of its user. */
export const CreateDialog = Type.Object(
  {
    /** Those who may use this agent see it. A user with one agent need not name it. */
    agent: Type.Optional(AgentName),
    title,
    message: Type.Optional(text(DIALOG_TEXT_MAX)),
    question: AskableQuestion,
    /** After that it closes without an answer. Without it, it stays open until it is answered or cancelled. */
    timeout_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: DIALOG_SECONDS_MAX })),
  },
  { additionalProperties: false },
)
export type CreateDialog = Static<typeof CreateDialog>

export const WaitForDialog = Type.Object(
  {
    /** Waits until it is closed, for {@link DIALOG_WAIT_SECONDS} at most. */
    wait: Type.Optional(Type.Boolean({ default: false })),
  },
  { additionalProperties: false },
)

export const DialogsQuery = Type.Object(
  {
    /** Only those in this state. */
    state: Type.Optional(DialogState),
    /** Only those of this task. */
    session: Type.Optional(Type.String({ format: 'uuid' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: DIALOGS_LIMIT_MAX, default: DIALOGS_LIMIT_MAX })),
  },
  { additionalProperties: false },
)
export type DialogsQuery = Static<typeof DialogsQuery>
