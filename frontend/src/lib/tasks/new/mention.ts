/** A file that a prompt mentions: `@src/main.ts`. */
export interface Mention {
  /** Where the `@` is. */
  readonly at: number
  /** The folder that is written already, with its slash, or an empty text. */
  readonly folder: string
  /** The beginning of the name. */
  readonly begin: string
}

/** Most names that are offered. */
export const OFFERED_MAX = 8

/** The mention that the caret is at the end of, or null. An `@` within a word, as in an address, is none. */
export function mentionAt(text: string, caret: number): Mention | null {
  const [, written] = /(?:^|[\s("'`])@([^\s@]*)$/.exec(text.slice(Math.max(0, caret - 1024), caret)) ?? []
  if (written === undefined) return null
  const folder = written.slice(0, written.lastIndexOf('/') + 1)
  return { at: caret - written.length - 1, folder, begin: written.slice(folder.length) }
}

/** The entries of a folder that the beginning fits. Hidden ones only where it begins with a dot. */
export function offered<T extends { readonly name: string }>(entries: readonly T[], begin: string): T[] {
  const wanted = begin.toLowerCase()
  return entries
    .filter(({ name }) => name.toLowerCase().startsWith(wanted) && (begin.startsWith('.') || !name.startsWith('.')))
    .slice(0, OFFERED_MAX)
}

/** The text with a mention completed, and the caret behind it. A folder ends with its slash, so that its names follow. */
export function completed(
  text: string,
  caret: number,
  { at, folder }: Mention,
  { name, kind }: { readonly name: string; readonly kind: 'file' | 'folder' },
): { text: string; caret: number } {
  const whole = `@${folder}${name}${kind === 'folder' ? '/' : ' '}`
  const rest = text.slice(caret)
  return {
    text: `${text.slice(0, at)}${whole}${kind === 'file' ? rest.replace(/^ /, '') : rest}`,
    caret: at + whole.length,
  }
}
