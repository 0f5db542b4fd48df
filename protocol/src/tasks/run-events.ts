/** What a run of a coding CLI reports, in the same form for every CLI. */
import Type, { type Static, type TSchema } from 'typebox'
import { Nullable, Timestamp } from '../common.ts'
import { ValidationState } from './validation.ts'

/** Longest text of one field of an event, in UTF-16 code units. Longer texts are cut, and their raw line is kept. */
export const EVENT_TEXT_MAX = 65_536

const happening = <T extends string, P extends Record<string, TSchema>>(type: T, properties: P) =>
  Type.Object({ type: Type.Literal(type), ...properties })

/** The id that connects a call with its result. Null: the CLI names none. */
const CallId = Nullable(Type.String())

/**
 * Tokens of one model, in one process of the CLI. `inputTokens` are without those that were read from the cache or
 * written to it, and `outputTokens` with the thoughts of the model. `costUsd` is what the CLI itself tells. Null: the CLI
 * does not tell.
 */
export const ModelUsage = Type.Object({
  model: Nullable(Type.String()),
  inputTokens: Nullable(Type.Integer()),
  outputTokens: Nullable(Type.Integer()),
  cacheReadTokens: Nullable(Type.Integer()),
  cacheWriteTokens: Nullable(Type.Integer()),
  costUsd: Nullable(Type.Number()),
})
export type ModelUsage = Static<typeof ModelUsage>

export const RunHappening = Type.Union([
  happening('text', { text: Type.String() }),
  happening('thinking', { text: Type.String() }),
  /** `input` is the CLI's own JSON value. */
  happening('tool_call', { callId: CallId, name: Type.String(), input: Type.Unknown() }),
  happening('tool_result', { callId: CallId, text: Type.String(), isError: Type.Boolean() }),
  happening('file_change', {
    callId: CallId,
    path: Type.String(),
    change: Type.Enum(['added', 'modified', 'deleted'] as const),
  }),
  /** A command of a shell. It comes when it starts, and again when it has ended. */
  happening('command', {
    callId: CallId,
    command: Type.String(),
    state: Type.Enum(['started', 'ended'] as const),
    exitCode: Nullable(Type.Integer()),
    output: Type.String(),
  }),
  happening('plan', {
    items: Type.Array(
      Type.Object({
        text: Type.String(),
        state: Type.Enum(['pending', 'in_progress', 'completed'] as const),
      }),
    ),
  }),
  /** Progress that is no work: the start, a retry, a sentence on standard error. */
  happening('status', {
    status: Type.Enum(['started', 'retrying', 'background', 'resumed', 'notice'] as const),
    message: Type.String(),
  }),
  /** The validation of a task with a gate: that it began, or what it found. `repair` is the one that follows, counted from 1. */
  happening('validation', {
    state: ValidationState,
    message: Type.String(),
    repair: Nullable(Type.Integer()),
  }),
  /** What this process of the CLI has used so far. */
  happening('usage', { models: Type.Array(ModelUsage) }),
  /** A usage limit of the account. `resetsAt` is null if the CLI does not tell. */
  happening('limit', { message: Type.String(), resetsAt: Nullable(Timestamp) }),
  /** The CLI asks people, and waits. The dialog with this `requestId` has the question and its answer. */
  happening('question', { requestId: Type.String(), callId: CallId, title: Type.String() }),
  /**
   * What the CLI was answered: whether it may do what it asked for, or that its question is answered or cancelled. `by` is the
   * e-mail address of the user; null if the platform answered.
   */
  happening('answer', {
    requestId: Type.String(),
    decision: Type.Enum(['allow', 'deny', 'answer', 'cancel'] as const),
    text: Type.String(),
    by: Nullable(Type.String()),
  }),
  happening('error', { message: Type.String(), status: Nullable(Type.Integer()) }),
  /** The CLI's own last answer. */
  happening('result', { text: Type.String(), isError: Type.Boolean() }),
])
/** The events that say what the model says. Some CLIs tell one text in many of them. */
export const TEXT_EVENTS = ['text', 'thinking'] as const satisfies readonly RunHappening['type'][]
export type TextEvent = (typeof TEXT_EVENTS)[number]

/** An event without its number. */
export type RunHappening = Static<typeof RunHappening>

/** One event of a run. `seq` counts from 1 without a gap. */
export const RunEvent = Type.Intersect([Type.Object({ seq: Type.Integer(), at: Timestamp }), RunHappening])
export type RunEvent = { readonly seq: number; readonly at: string } & RunHappening
