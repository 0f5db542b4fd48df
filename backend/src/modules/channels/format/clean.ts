/** Texts of agents and CLIs as people read them in a chat. They are hostile until they were here. Pure. */
import { stripVTControlCharacters } from 'node:util'
import { withHiddenInSight } from '@slipway/protocol'

/** Longest text that is looked at, in UTF-16 code units. */
export const TEXT_MAX = 1_048_576

/** Without escape sequences of terminals, and with characters without a shape in sight. Line feeds and tabs stay. */
export const clean = (text: string): string =>
  withHiddenInSight(stripVTControlCharacters(text.slice(0, TEXT_MAX)).replaceAll(/\r\n?/g, '\n')).toWellFormed()

/** Begins or ends a block of code: three backticks or tildes, or more, indented by three spaces at most. */
const FENCE = /^ {0,3}(`{3,}|~{3,})/
/** Longest line that begins or ends a block, in UTF-16 code units: it is repeated in each message. A longer one is text. */
export const FENCE_LINE_MAX = 40

/** The fence that a line opens; null if it opens none. */
export const fenceIn = (line: string): string | null =>
  line.length > FENCE_LINE_MAX ? null : (FENCE.exec(line)?.[1] ?? null)

/** Whether a line ends the block that `fence` began: the same characters, at least as many, and nothing behind them. */
export const closes = (line: string, fence: string): boolean => {
  const found = fenceIn(line)
  return found !== null && found.startsWith(fence) && line.trim() === found
}

/** A link whose words hide its address. */
const MASKED = /\[([^\]\n]{1,500})\]\(\s*<?([a-z][a-z0-9+.-]*:[^\s)>]{1,2000})>?[^)\n]*\)/gi

/** Shows the address of every link outside of code. */
export const withLinksInSight = (text: string): string => {
  let fence: string | null = null
  const line = (one: string): string => {
    if (fence !== null) {
      if (closes(one, fence)) fence = null
      return one
    }
    fence = fenceIn(one)
    return fence === null ? one.replace(MASKED, '$1 (<$2>)') : one
  }
  return text.split('\n').map(line).join('\n')
}

/** A text that is shown as code, in one block that it cannot leave. */
export const codeBlock = (text: string): string => `\`\`\`\n${clean(text).replaceAll('```', "'''")}\n\`\`\``

/** A short text in one line, in which Discord formats and mentions nothing. */
export const inline = (text: string, max: number): string => {
  const line = clean(text).replaceAll(/\s+/g, ' ').trim()
  const cut = line.length > max ? `${line.slice(0, max - 1).toWellFormed()}…` : line
  return cut.replaceAll(/[\\`*_~|<>[\]()#@:-]/g, '\\$&')
}
