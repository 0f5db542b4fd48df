/** Input by paste or drop: makes text harmless, and finds files and quotes their paths for a shell. */

import { AGENT_HOME } from '@slipway/protocol'

/** Most files of one paste or drop. For more, the user should upload an archive. */
export const FILES_MAX = 20
/**
 * A new folder for pasted and dropped files. Each upload gets its own, so that files keep their names and replace no
 * others.
 */
export const newUploadFolder = (): string =>
  `${AGENT_HOME}/uploads/${[...crypto.getRandomValues(new Uint8Array(6))].map((byte) => (byte % 36).toString(36)).join('')}`

/** Characters without a special meaning in a shell. */
const PLAIN = /^[\w@%+=:,./-]+$/
/** Characters with a special meaning inside double quotes. */
const ACTIVE = /["$`\\!]/

/**
 * Quotes a path as one word of a shell. Coding CLIs remove quotes, too, so this uses the simplest ones. All CLIs
 * understand a quote inside other quotes, but some do not understand one outside.
 */
export function quotePath(path: string): string {
  if (PLAIN.test(path)) return path
  if (!path.includes("'")) return `'${path}'`
  return ACTIVE.test(path) ? `'${path.replaceAll("'", "'\\''")}'` : `"${path}"`
}

/** A file's name that is safe in a path. It stays one name, even if the original contains separators. */
export function safeName(name: string): string {
  const clean = name
    .replace(/[\p{Cc}\p{Cf}/\\]+/gu, '_')
    .replace(/^[.-]+/, '_')
    .trim()
  return clean === '' ? 'file' : clean
}

/**
 * Prepares text for a program that brackets pastes. An escape could end the bracket, and the rest would count as typed.
 * A visible symbol replaces it.
 */
export const withoutEscapes = (text: string): string => text.replaceAll('\x1b', '␛').replaceAll('\x9b', '␛')

/**
 * The files of a paste. Cells of a spreadsheet come as text and as a picture, and the user means the text. Copied files
 * come with their names as text, and the user means the files.
 */
export function pastedFiles(data: Pick<DataTransfer, 'files' | 'getData'>): File[] {
  const files = [...data.files]
  const lines = data.getData('text/plain').split(/\r?\n/).filter(Boolean)
  const onlyNames = lines.every((line) => files.some(({ name }) => line === name || line.endsWith(`/${name}`)))
  return onlyNames ? files : []
}

/** Whether a drop contains a folder. Browsers give no file for a folder. */
export const hasFolder = (data: Pick<DataTransfer, 'items'>): boolean =>
  [...data.items].some((item) => item.kind === 'file' && item.webkitGetAsEntry()?.isDirectory === true)
