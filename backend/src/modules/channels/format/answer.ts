/** The answer of an agent as messages of a chat. Pure. */
import { chunksOf } from './chunks.ts'
import { clean, withLinksInSight } from './clean.ts'
import { formatCodexLines } from './codex.ts'

/** Most messages of one answer. A longer one is a file behind its beginning. */
export const CHUNKS_MAX = 5

/** What is posted of a text. */
export interface Formatted {
  readonly chunks: readonly string[]
  /** The whole text, if the messages have only its beginning. */
  readonly file: string | null
}

export const formatAnswer = (output: string): Formatted => {
  const text = clean(formatCodexLines(output) ?? output).trim()
  const chunks = chunksOf(withLinksInSight(text))
  if (chunks.length <= CHUNKS_MAX) return { chunks, file: null }
  return { chunks: chunks.slice(0, 1), file: text }
}
