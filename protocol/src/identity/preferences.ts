/** A user's settings for terminals, lists and notifications. They are stored with the account, so they are the same on each device. */
import Type, { type Static } from 'typebox'
import { Nullable } from '../common.ts'
import { DEFAULT_NOTIFICATIONS, NotificationPreferences } from '../channels/notifications.ts'

/** The terminal's themes for a dark page and for a light one. */
export const DARK_THEMES = ['harbour', 'ink', 'dusk'] as const
export const LIGHT_THEMES = ['paper', 'sand'] as const
/** What happens when a program writes text to the clipboard (OSC 52). No program may read it. */
export const PROGRAM_CLIPBOARD = ['write', 'ask', 'never'] as const

/** In CSS pixels. Below the minimum text is unreadable; above the maximum a line is too short for any program. */
export const FONT_SIZE_MIN = 8
export const FONT_SIZE_MAX = 32
/** In multiples of the font's height. */
export const LINE_HEIGHT_MIN = 1
export const LINE_HEIGHT_MAX = 2
/** The font that the page includes. It replaces a font that a device does not have. */
export const BUNDLED_FONT = 'JetBrains Mono'

export const TerminalPreferences = Type.Object(
  {
    /**
     * The name of one font on the device. The pattern excludes lists, and characters that could end a quoted CSS name.
     */
    fontFamily: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9 ._-]{0,59}$' }),
    /** Null: the screen's width decides. */
    fontSize: Nullable(Type.Integer({ minimum: FONT_SIZE_MIN, maximum: FONT_SIZE_MAX })),
    lineHeight: Type.Number({ minimum: LINE_HEIGHT_MIN, maximum: LINE_HEIGHT_MAX }),
    darkTheme: Type.Enum(DARK_THEMES),
    lightTheme: Type.Enum(LIGHT_THEMES),
    copyOnSelect: Type.Boolean(),
    programClipboard: Type.Enum(PROGRAM_CLIPBOARD),
    /**
     * Whether Escape goes to the program in full screen. Null: the user has not chosen, so Escape leaves full screen
     * and the page asks once.
     */
    keepEscape: Nullable(Type.Boolean()),
    /** Whether Option on a Mac is Meta for programs. Otherwise it types the characters of the keyboard's layout. */
    optionIsMeta: Type.Boolean(),
    /** Whether the terminal's output is in the page's accessibility tree, and announced. */
    screenReader: Type.Boolean(),
    /** Whether the browser notifies the user when a program waits. Each browser also asks for its own permission. */
    notify: Type.Boolean(),
  },
  { additionalProperties: false },
)
export type TerminalPreferences = Static<typeof TerminalPreferences>

/** Most saved views of the list of tasks. */
export const TASK_VIEWS_MAX = 20

/** Filters of the list of tasks under a name. */
export const TaskView = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 50, pattern: '^[^\\u0000]*[^\\u0000\\s][^\\u0000]*$' }),
    /** As in the address of the page, without the question mark. */
    query: Type.String({ minLength: 1, maxLength: 2000, pattern: '^[!-~]+$' }),
  },
  { additionalProperties: false },
)
export type TaskView = Static<typeof TaskView>

export const TaskPreferences = Type.Object(
  { views: Type.Array(TaskView, { maxItems: TASK_VIEWS_MAX }) },
  { additionalProperties: false },
)
export type TaskPreferences = Static<typeof TaskPreferences>

/** Every field is bounded, and so is the whole. */
export const Preferences = Type.Object(
  { terminal: TerminalPreferences, tasks: TaskPreferences, notifications: NotificationPreferences },
  { additionalProperties: false },
)
export type Preferences = Static<typeof Preferences>

/**
 * The changed fields. A page of another version may have fewer or more fields. Missing fields keep their value, and
 * unknown fields are ignored. A known field must be valid.
 */
export const ChangePreferences = Type.Object({
  terminal: Type.Optional(Type.Partial(TerminalPreferences, { additionalProperties: true })),
  tasks: Type.Optional(Type.Partial(TaskPreferences, { additionalProperties: true })),
  notifications: Type.Optional(Type.Partial(NotificationPreferences, { additionalProperties: true })),
})
export type ChangePreferences = Static<typeof ChangePreferences>

/** For a user who has not chosen. */
export const DEFAULT_PREFERENCES: Preferences = {
  terminal: {
    fontFamily: BUNDLED_FONT,
    fontSize: null,
    lineHeight: 1.2,
    darkTheme: 'harbour',
    lightTheme: 'paper',
    copyOnSelect: false,
    // The user decides what is pasted next, not a program's output.
    programClipboard: 'ask',
    keepEscape: null,
    // On many layouts Option types @, [, | and ~.
    optionIsMeta: false,
    // It costs time for each line, and only helps users of a screen reader.
    screenReader: false,
    notify: false,
  },
  tasks: { views: [] },
  notifications: DEFAULT_NOTIFICATIONS,
}
