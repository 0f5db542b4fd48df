/** What programs in an agent tell people without a question: notices, and what the agent shows. */
import Type, { type Static } from 'typebox'
import { Nullable, Timestamp } from '../common.ts'

export const NOTICE_TYPES = ['info', 'success', 'warning', 'error'] as const
/** Longest notice, in UTF-16 code units. */
export const NOTICE_TEXT_MAX = 2000
/** Notices of an agent's programs in a minute, after a burst of as many. */
export const NOTICES_PER_MINUTE = 30
/** The notices of an agent that are kept. */
export const NOTICES_KEPT = 20
/** Changes of what an agent shows in a minute, after a burst of as many. */
export const SHOWS_PER_MINUTE = 120
/** How much an agent shows at the same time. */
export const SHOWN_MAX = 32
/** Longest name of a status or a widget, and longest line, in UTF-16 code units. */
export const SHOWN_KEY_MAX = 64
export const SHOWN_LINE_MAX = 500
/** Most lines of a widget. */
export const SHOWN_LINES_MAX = 20

/**
 * `status` and `widget` have a name. There is one `title`, one `working`, which says what is being done, and one `editor`, a text
 * that programs keep there for one another.
 */
export const SHOWN_KINDS = ['status', 'widget', 'title', 'working', 'editor'] as const
export type ShownKind = (typeof SHOWN_KINDS)[number]

const closed = { additionalProperties: false } as const

/** A notice, as a program sends it. */
export const Notify = Type.Object(
  {
    message: Type.String({ minLength: 1, maxLength: NOTICE_TEXT_MAX }),
    type: Type.Optional(Type.Enum(NOTICE_TYPES)),
  },
  closed,
)
export type Notify = Static<typeof Notify>

/** What the agent shall show from now on, as a program sends it. */
export const Show = Type.Object(
  {
    kind: Type.Enum(SHOWN_KINDS),
    /** Of a status or a widget. */
    key: Type.Optional(Type.String({ maxLength: SHOWN_KEY_MAX })),
    /** Without one, it is not shown any more. Only a widget and the editor have several. */
    lines: Type.Array(Type.String({ maxLength: SHOWN_LINE_MAX }), { maxItems: SHOWN_LINES_MAX }),
  },
  closed,
)
export type Show = Static<typeof Show>

const told = {
  /** The task whose program tells it; null: it is not known. */
  sessionId: Nullable(Type.String()),
  at: Timestamp,
}

export const AgentNotice = Type.Object({
  id: Type.String(),
  ...told,
  type: Type.Enum(NOTICE_TYPES),
  message: Type.String(),
})
export type AgentNotice = Static<typeof AgentNotice>

/** One thing that an agent shows. Without lines, it is not shown any more. */
export const Shown = Type.Object({
  ...told,
  kind: Type.Enum(SHOWN_KINDS),
  key: Type.String(),
  lines: Type.Array(Type.String()),
})
export type Shown = Static<typeof Shown>

/** The text of the editor; empty without one. */
export const EditorText = Type.Object({ text: Type.String() })
export type EditorText = Static<typeof EditorText>

/** What an agent shows now, and its last notices, the newest last. */
export const AgentShown = Type.Object({ shown: Type.Array(Shown), notices: Type.Array(AgentNotice) })
export type AgentShown = Static<typeof AgentShown>
