/** What a page shows of a task's events: each entry is one row. */
import type { RunEvent, ValidationState } from '@slipway/protocol'
import type { Cut } from './cut.ts'
import type { Edit } from './edits.ts'

type EventOf<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>

interface Row {
  /** Number of the first event. It never changes, so a row keeps its place. */
  readonly id: number
  readonly at: string
}

/** What the model wrote: an answer, or its thoughts. */
export interface TextEntry extends Row {
  readonly kind: 'text' | 'thinking'
  readonly text: string
  /** Whether it is the CLI's last answer. */
  readonly isAnswer: boolean
}

export interface Change {
  readonly path: string
  readonly change: EventOf<'file_change'>['change']
}

/** A call of a tool with all that came of it. */
export interface StepEntry extends Row {
  readonly kind: 'step'
  readonly callId: string | null
  readonly name: string
  /** What the call is about, as the CLI says it. */
  readonly object: string
  /** The input as text. Null for a command, which says itself what it does. */
  readonly input: Cut | null
  readonly edit: Edit | null
  readonly command: { readonly command: string; readonly exitCode: number | null } | null
  readonly changes: readonly Change[]
  readonly result: Cut | null
  /** Whether people are asked about it, and it waits for their answer. */
  readonly isAsked: boolean
  /** Whether people did not allow it. */
  readonly isRefused: boolean
  /** `left`: the task ended before the step did. */
  readonly state: 'running' | 'done' | 'failed' | 'left'
  readonly endedAt: string | null
}

export interface PlanEntry extends Row {
  readonly kind: 'plan'
  readonly items: EventOf<'plan'>['items']
  /** Whether no later plan follows. An earlier one is only a line. */
  readonly isLatest: boolean
}

/** A sentence about the run itself. */
export interface NoteEntry extends Row {
  readonly kind: 'note'
  readonly tone: 'quiet' | 'warning' | 'error'
  readonly text: string
  /** When a usage limit ends; null if that is not known or does not matter. */
  readonly resetsAt: string | null
  /** Which wait of the run it tells of: one that begins with it, or one that is over with it. Null: none. */
  readonly wait: 'begins' | 'over' | null
  /** What it tells of the validation that the task must pass. `repair` is the one that follows, or null. */
  readonly gate?: { readonly state: ValidationState; readonly repair: number | null }
}

/** The note of an event. `resetsAt` and `wait` are as in {@link NoteEntry}. */
export const noted = (
  { seq, at }: RunEvent,
  tone: NoteEntry['tone'],
  text: string,
  resetsAt: string | null = null,
  wait: NoteEntry['wait'] = null,
): NoteEntry => ({
  kind: 'note',
  id: seq,
  at,
  tone,
  text,
  resetsAt,
  wait,
})

/** A question of the CLI to people, and what it was answered. */
export interface QuestionEntry extends Row {
  readonly kind: 'question'
  readonly requestId: string
  /** The call that it is about. */
  readonly callId: string | null
  readonly title: string
  /** Null while it has none. `by` is null if the platform answered. */
  readonly answer: { readonly text: string; readonly by: string | null; readonly at: string } | null
  /** The task ended before it was answered. */
  readonly isLeft: boolean
}

export type Entry = TextEntry | StepEntry | PlanEntry | NoteEntry | QuestionEntry
