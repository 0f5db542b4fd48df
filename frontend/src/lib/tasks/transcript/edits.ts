/** The change that a tool's input shows. */

/** A text that is replaced by another one. */
export interface Edit {
  readonly before: string
  readonly after: string
}

/** Longest text before and after an edit that is shown as lines, in UTF-16 code units. */
const EDIT_MAX = 4_096

/** An edit that replaces a text by another one, as most CLIs do it. Null: the input shows none, or a long one. */
export function editIn(input: unknown, max = EDIT_MAX): Edit | null {
  if (typeof input !== 'object' || input === null) return null
  const fields = input as Record<string, unknown>
  const [before, after] = [fields['old_string'] ?? '', fields['new_string'] ?? fields['content']]
  if (typeof before !== 'string' || typeof after !== 'string') return null
  return before.length > max || after.length > max ? null : { before, after }
}
