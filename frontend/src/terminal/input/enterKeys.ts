/** What Enter with a modifier means to a program: the next line of what is being written, not the end of it. */

/** A line feed, as Ctrl+J types it. Every coding CLI takes it for a new line; bash takes it for Enter. */
const LINE_FEED = '\n'
/** Alt+Enter since there have been terminals: escape, carriage return. */
const META_ENTER = '\x1b\r'

type Key = Pick<KeyboardEvent, 'key' | 'shiftKey' | 'ctrlKey' | 'altKey' | 'metaKey' | 'isComposing'>

/**
 * The bytes for Shift, Ctrl or Alt with Enter; null for every other key, which is the emulator's own.
 *
 * A terminal sends a carriage return for all of them, and a CLI submits. With the kitty protocol on (`disambiguates`)
 * Shift and Alt are told as such. Ctrl+Enter is a line feed even then: Claude Code would submit at its code, Codex do nothing.
 */
export function bytesOfEnter(key: Key, disambiguates: boolean): string | null {
  if (key.key !== 'Enter' || key.metaKey || key.isComposing) return null
  if (key.ctrlKey) return LINE_FEED
  if (!key.shiftKey && !key.altKey) return null
  // 13 is Enter, the second number the modifiers, counted from one (kitty's keyboard protocol, "CSI u").
  if (disambiguates) return `\x1b[13;${1 + (key.shiftKey ? 1 : 0) + (key.altKey ? 2 : 0)}u`
  return key.altKey ? META_ENTER : LINE_FEED
}
