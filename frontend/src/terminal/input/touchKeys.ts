/** Keys that a touch keyboard lacks, and Ctrl for the next one that it has. */

/** A key of the bar. */
export interface TouchKey {
  /** What stands on it, and what it is called. */
  readonly label: string
  readonly name: string
  /** What it types; `cursor` is the last letter of a cursor key, whose beginning the program decides. */
  readonly types: { readonly text: string } | { readonly cursor: string }
}

export const TOUCH_KEYS: readonly TouchKey[] = [
  { label: 'Esc', name: 'Esc', types: { text: '\x1b' } },
  { label: 'Tab', name: 'Tab', types: { text: '\t' } },
  { label: '⇧Tab', name: 'Shift and Tab', types: { text: '\x1b[Z' } },
  { label: '^C', name: 'Control and C', types: { text: '\x03' } },
  { label: '←', name: 'Left', types: { cursor: 'D' } },
  { label: '↑', name: 'Up', types: { cursor: 'A' } },
  { label: '↓', name: 'Down', types: { cursor: 'B' } },
  { label: '→', name: 'Right', types: { cursor: 'C' } },
]

/** `application`: the program asked for the other kind of cursor keys (DECCKM), as vim and less do. */
export function bytesOfTouchKey({ types }: TouchKey, ctrl: boolean, application: boolean): string {
  if ('text' in types) return ctrl ? (withCtrl(types.text) ?? types.text) : types.text
  if (ctrl) return `\x1b[1;5${types.cursor}`
  return `${application ? '\x1bO' : '\x1b['}${types.cursor}`
}

/** What one typed character is with Ctrl held down; null for what has no such thing. */
export function withCtrl(text: string): string | null {
  if (text.length !== 1) return null
  if (text === ' ' || text === '2') return '\0'
  if (text === '?') return '\x7f'
  const code = text.toUpperCase().charCodeAt(0)
  // The letters, and the six signs beside them in ASCII.
  return code >= 0x40 && code <= 0x5f ? String.fromCharCode(code & 0x1f) : null
}
