/** Reads what was said in a session out of the files in which the CLIs keep it. The files are in the agent's hands. */
import { objectOf } from '../../../providers/headless/parts/json.ts'
import { CLAUDE } from './entries/claude.ts'
import { CODEX } from './entries/codex.ts'
import { COPILOT } from './entries/copilot.ts'
import { GEMINI } from './entries/gemini.ts'
import { OPENCODE } from './entries/opencode.ts'
import type { ReadEntry } from './utterance.ts'

/** What a user wrote, and the last answer to it. */
export interface Said {
  /** In milliseconds since 1970. */
  readonly at: number
  readonly text: string
  readonly answer: string | null
}

/** Most things that were said in one terminal. Earlier ones are left out. */
export const SAID_MAX = 50
/** Longest text, in UTF-16 code units. */
const TEXT_MAX = 32_768
/** Control characters but tabs and line feeds. PostgreSQL takes no NUL. */
const CONTROLS = /(?![\n\t])\p{Cc}/gu

/** By the CLI. The others keep nothing that is known. */
export const READERS: ReadonlyMap<string, ReadEntry> = new Map([
  ['claude-code', CLAUDE],
  ['codex', CODEX],
  ['gemini-cli', GEMINI],
  ['copilot', COPILOT],
  ['opencode', OPENCODE],
])

/** What was said from one time to another, in milliseconds since 1970, in its order. */
export const saidIn = (lines: string, read: ReadEntry, from: number, to: number): readonly Said[] => {
  const all: Said[] = []
  for (const line of lines.split('\n')) {
    const entry = objectOf(line)
    const said = entry && read(entry)
    if (!said || !(said.at >= from && said.at <= to)) continue
    const text = harmless(said.text)
    const last = all.at(-1)
    if (text === '') continue
    if (said.by === 'user') all.push({ at: said.at, text, answer: null })
    else if (last) all[all.length - 1] = { ...last, answer: text }
  }
  return all.slice(-SAID_MAX)
}

const harmless = (whole: string): string => {
  const text = whole.replaceAll('\r\n', '\n').replace(CONTROLS, '').trim()
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX).toWellFormed()}…` : text.toWellFormed()
}
