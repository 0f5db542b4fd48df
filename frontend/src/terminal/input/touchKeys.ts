/** Keys that touch keyboards lack, and a Ctrl for the keyboard's next key. */

/** A key of the touch bar. */
export interface TouchKey {
  /** The key's label, and its name for screen readers. */
  readonly label: string
  readonly name: string
  /** The key's input. `cursor` is the final letter of a cursor key; the program's mode decides its prefix. */
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

/** `application`: the program has switched on application cursor keys (DECCKM), as vim and less do. */
export function bytesOfTouchKey({ types }: TouchKey, ctrl: boolean, application: boolean): string {
  if ('text' in types) return ctrl ? (withCtrl(types.text) ?? types.text) : types.text
  if (ctrl) return `\x1b[1;5${types.cursor}`
  return `${application ? '\x1bO' : '\x1b['}${types.cursor}`
}

/** The control character of one typed character. Null if it has none. */
export function withCtrl(text: string): string | null {
  if (text.length !== 1) return null
  if (text === ' ' || text === '2') return '\0'
  if (text === '?') return '\x7f'
  const code = text.toUpperCase().charCodeAt(0)
  // Letters and the six ASCII characters next to them.
  return code >= 0x40 && code <= 0x5f ? String.fromCharCode(code & 0x1f) : null
}
