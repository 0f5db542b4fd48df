/** What goes into a terminal by paste or drop: text made harmless, files, and their paths as a shell reads them. */

/** Most files of one paste or drop; more are a folder's business. */
export const FILES_MAX = 20
/** What a shell takes as it is. */
const PLAIN = /^[\w@%+=:,./-]+$/
/** What means something even between double quotes. */
const ACTIVE = /["$`\\!]/

/**
 * A path as one word of a shell. Coding CLIs take the quotes off, too, so the simplest that serve are used: a quote
 * inside of other quotes is understood by them, one outside of quotes is not by all.
 */
export function quotePath(path: string): string {
  if (PLAIN.test(path)) return path
  if (!path.includes("'")) return `'${path}'`
  return ACTIVE.test(path) ? `'${path.replaceAll("'", "'\\''")}'` : `"${path}"`
}

/** A file's name as it may stand in a path: whatever the name of a file elsewhere holds, it stays one name. */
export function safeName(name: string): string {
  const clean = name
    .replace(/[\p{Cc}\p{Cf}/\\]+/gu, '_')
    .replace(/^[.-]+/, '_')
    .trim()
  return clean === '' ? 'file' : clean
}

/**
 * Text for a program that brackets what is pasted: an escape in it could end the bracket, and what follows would count
 * as typed. Its sign is put in its place, so that it can be seen.
 */
export const withoutEscapes = (text: string): string => text.replaceAll('\x1b', '␛').replaceAll('\x9b', '␛')

/**
 * The files of a paste. A spreadsheet's cells come as text and as a picture of them: then the text is meant. The names
 * of copied files come as text, too: then the files are.
 */
export function pastedFiles(data: Pick<DataTransfer, 'files' | 'getData'>): File[] {
  const files = [...data.files]
  const lines = data.getData('text/plain').split(/\r?\n/).filter(Boolean)
  const onlyNames = lines.every((line) => files.some(({ name }) => line === name || line.endsWith(`/${name}`)))
  return onlyNames ? files : []
}

/** Whether a drop has a folder in it, of which a browser gives no file. */
export const hasFolder = (data: Pick<DataTransfer, 'items'>): boolean =>
  [...data.items].some((item) => item.kind === 'file' && item.webkitGetAsEntry()?.isDirectory === true)
