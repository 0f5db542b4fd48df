/** How somebody likes their terminals: kept with the account, so that it is the same on each of their devices. */
import Type, { type Static } from 'typebox'
import { Nullable } from './common.ts'

/** The terminal's colours while the page is dark, and while it is light. */
export const DARK_THEMES = ['harbour', 'ink', 'dusk'] as const
export const LIGHT_THEMES = ['paper', 'sand'] as const
/** What becomes of a text that a program puts on the clipboard (OSC 52). Reading it is refused to every program. */
export const PROGRAM_CLIPBOARD = ['write', 'ask', 'never'] as const

/** In CSS pixels: below it nobody can read, above it a line holds too few words for any program. */
export const FONT_SIZE_MIN = 8
export const FONT_SIZE_MAX = 32
/** In multiples of the font's own height. */
export const LINE_HEIGHT_MIN = 1
export const LINE_HEIGHT_MAX = 2
/** The font that comes with the page, which stands in for one that a device does not have. */
export const BUNDLED_FONT = 'JetBrains Mono'

export const TerminalPreferences = Type.Object(
  {
    /** A font of the device, by its name; no list of several, and nothing that could leave a quoted CSS name. */
    fontFamily: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9 ._-]{0,59}$' }),
    /** Null lets the screen's width decide. */
    fontSize: Nullable(Type.Integer({ minimum: FONT_SIZE_MIN, maximum: FONT_SIZE_MAX })),
    lineHeight: Type.Number({ minimum: LINE_HEIGHT_MIN, maximum: LINE_HEIGHT_MAX }),
    darkTheme: Type.Enum(DARK_THEMES),
    lightTheme: Type.Enum(LIGHT_THEMES),
    copyOnSelect: Type.Boolean(),
    programClipboard: Type.Enum(PROGRAM_CLIPBOARD),
    /** Whether Escape is the program's alone in full screen. Null: not chosen yet, so Escape leaves it, and the page asks once. */
    keepEscape: Nullable(Type.Boolean()),
    /** Whether Option on a Mac is Meta for programs. Otherwise it types the characters of the keyboard's layout. */
    optionIsMeta: Type.Boolean(),
    /** Whether the terminal's output is in the page's accessibility tree, and announced. */
    screenReader: Type.Boolean(),
    /** Whether to notify through the browser when a program waits; each browser asks for its own permission besides. */
    notify: Type.Boolean(),
  },
  { additionalProperties: false },
)
export type TerminalPreferences = Static<typeof TerminalPreferences>

/** All fields have a bound, and so has the whole. */
export const Preferences = Type.Object({ terminal: TerminalPreferences }, { additionalProperties: false })
export type Preferences = Static<typeof Preferences>

/**
 * What a page changes. Pages of other versions have fewer fields, or more: what is missing stays as it is kept, and what is
 * unknown is ignored. A known field has to fit.
 */
export const ChangePreferences = Type.Object({
  terminal: Type.Optional(Type.Partial(TerminalPreferences, { additionalProperties: true })),
})
export type ChangePreferences = Static<typeof ChangePreferences>

/** For whoever has not chosen. */
export const DEFAULT_PREFERENCES: Preferences = {
  terminal: {
    fontFamily: BUNDLED_FONT,
    fontSize: null,
    lineHeight: 1.2,
    darkTheme: 'harbour',
    lightTheme: 'paper',
    copyOnSelect: false,
    // What is pasted next is the person's to decide, not the output's.
    programClipboard: 'ask',
    keepEscape: null,
    // On many layouts @, [, | and ~ are typed with Option.
    optionIsMeta: false,
    // It costs time with each line, and only users of a screen reader have a use for it.
    screenReader: false,
    notify: false,
  },
}
