/** How a file is shown, by its name. */
import type { TreeEntry } from '@slipway/protocol'
import { languageOfPath } from '@/lib/highlight/language.ts'

const IMAGES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  bmp: 'image/bmp',
  ico: 'image/x-icon',
  svg: 'image/svg+xml',
}
const MARKDOWN: readonly string[] = ['md', 'markdown', 'mdx']
const TABLES: Readonly<Record<string, string>> = { csv: ',', tsv: '\t' }

const endingOf = (path: string): string => path.split('/').at(-1)?.split('.').at(-1)?.toLowerCase() ?? ''
const own = <T>(table: Readonly<Record<string, T>>, key: string): T | null =>
  Object.hasOwn(table, key) ? (table[key] ?? null) : null

/** The media type of a picture. Null: it is none. */
export const imageTypeOf = (path: string): string | null => own(IMAGES, endingOf(path))

/** What separates the cells of a table. Null: it is none. */
export const separatorOf = (path: string): string | null => own(TABLES, endingOf(path))

/** The ways to show a text, the preferred one first. */
export type View = 'text' | 'markdown' | 'table' | 'image'
export function viewsOf(path: string): readonly View[] {
  if (imageTypeOf(path) !== null) return endingOf(path) === 'svg' ? ['image', 'text'] : ['image']
  if (MARKDOWN.includes(endingOf(path))) return ['markdown', 'text']
  return separatorOf(path) === null ? ['text'] : ['table', 'text']
}

export function iconOf(kind: TreeEntry['kind'], name: string, isOpen: boolean): string {
  if (kind === 'folder') return isOpen ? 'i-lucide-folder-open' : 'i-lucide-folder'
  if (kind === 'other') return 'i-lucide-file-question-mark'
  if (imageTypeOf(name) !== null) return 'i-lucide-file-image'
  if (separatorOf(name) !== null) return 'i-lucide-file-spreadsheet'
  if (MARKDOWN.includes(endingOf(name))) return 'i-lucide-file-text'
  return languageOfPath(name) === null ? 'i-lucide-file' : 'i-lucide-file-code'
}
