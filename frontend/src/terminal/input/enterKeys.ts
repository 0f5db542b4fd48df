/** Enter with a modifier starts a new line of the prompt in a program, instead of submitting it. */

/** A line feed, as Ctrl+J sends it. Every coding CLI starts a new line; bash takes it as Enter. */
const LINE_FEED = '\n'
/** The traditional bytes of Alt+Enter: escape, carriage return. */
const META_ENTER = '\x1b\r'

type Key = Pick<KeyboardEvent, 'key' | 'shiftKey' | 'ctrlKey' | 'altKey' | 'metaKey' | 'isComposing'>

/**
 * The bytes for Enter with Shift, Ctrl or Alt. Null for every other key, which the emulator handles.
 *
 * A terminal sends a carriage return for all of them, and a CLI submits. With the kitty protocol (`disambiguates`),
 * Shift and Alt have codes of their own. Ctrl+Enter is a line feed even then: at its code Claude Code would submit, and
 * Codex would do nothing.
 */
export function bytesOfEnter(key: Key, disambiguates: boolean): string | null {
  if (key.key !== 'Enter' || key.metaKey || key.isComposing) return null
  if (key.ctrlKey) return LINE_FEED
  if (!key.shiftKey && !key.altKey) return null
  // 13 is Enter. The second number is the set of modifiers, plus one (kitty's keyboard protocol, "CSI u").
  if (disambiguates) return `\x1b[13;${1 + (key.shiftKey ? 1 : 0) + (key.altKey ? 2 : 0)}u`
  return key.altKey ? META_ENTER : LINE_FEED
}
