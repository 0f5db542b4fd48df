/** Reads what was said in a session out of the file in which Claude Code keeps it. The file is in the agent's hands. */
import { type Fields, fieldsIn, listIn, objectOf, textIn } from '../../../providers/headless/parts/json.ts'

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
/** What Claude writes as a user without one: commands, their output, and its own notes. */
const NOT_SAID = /^\s*(?:<(?:command|local-command|bash|task|system)-|\[Request interrupted\b|Caveat: )/
/** Control characters but tabs and line feeds. PostgreSQL takes no NUL. */
// eslint-disable-next-line no-control-regex -- these are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** What was said from one time to another, in milliseconds since 1970, in its order. */
export const saidIn = (lines: string, from: number, to: number): readonly Said[] => {
  const all: Said[] = []
  for (const line of lines.split('\n')) {
    const entry = objectOf(line)
    if (entry === null || entry.isMeta === true || entry.isSidechain === true || entry.isCompactSummary === true)
      continue
    const at = Date.parse(textIn(entry.timestamp) ?? '')
    if (!(at >= from && at <= to)) continue
    const text = textOf(fieldsIn(entry.message))
    if (text === '') continue
    const last = all.at(-1)
    if (entry.type === 'user' && !NOT_SAID.test(text)) all.push({ at, text, answer: null })
    else if (entry.type === 'assistant' && last) all[all.length - 1] = { ...last, answer: text }
  }
  return all.slice(-SAID_MAX)
}

/** The text of a message; empty if it only has results of tools and the like. */
const textOf = ({ content }: Fields): string => {
  const text = textIn(content)
  const texts =
    text === null ? listIn(content).map((block) => (block.type === 'text' ? textIn(block.text) : null)) : [text]
  const whole = texts
    .flatMap((one) => one ?? [])
    .join('\n')
    .replaceAll('\r\n', '\n')
  const harmless = whole.replace(CONTROLS, '').trim()
  return harmless.length > TEXT_MAX ? `${harmless.slice(0, TEXT_MAX).toWellFormed()}…` : harmless.toWellFormed()
}
