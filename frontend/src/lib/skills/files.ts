import type { SkillFile } from '@slipway/protocol'

/** A file in the editor. Its id stays when its path changes. */
export interface EditedFile extends SkillFile {
  readonly id: number
}

export const editedFiles = (files: readonly SkillFile[]): EditedFile[] => files.map((file, id) => ({ ...file, id }))

/** The files as the API takes them. */
export const storedFiles = (files: readonly EditedFile[]): SkillFile[] =>
  files.map(({ path, text }) => ({ path: path.trim(), text }))

/** An empty file whose path no other file has. */
export function newFile(files: readonly EditedFile[]): EditedFile {
  const id = Math.max(-1, ...files.map((file) => file.id)) + 1
  const paths = new Set(files.map(({ path }) => path.trim().toLowerCase()))
  const names = ['notes.md', ...files.map((_, index) => `notes-${index + 2}.md`)]
  return { id, path: names.find((name) => !paths.has(name)) ?? '', text: '' }
}

const encoder = new TextEncoder()
/** In bytes of UTF-8, as the server counts. */
export const sizeOf = (...files: readonly SkillFile[]): number =>
  files.reduce((sum, { text }) => sum + encoder.encode(text).length, 0)
