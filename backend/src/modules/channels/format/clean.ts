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

/** Begins and ends a block of code. Discord knows no longer one. */
export const FENCE_MARK = '```'

const block = (text: string): string => `${FENCE_MARK}\n${text.replaceAll(FENCE_MARK, "'''")}\n${FENCE_MARK}`

/** A text that is shown as code, in one block that it cannot leave. */
export const codeBlock = (text: string): string => block(clean(text))

/**
 * The same for a text on which its reader decides. It loses nothing: an escape sequence could hide a part of a command. Only
 * a {@link FENCE_MARK} is shown as something else.
 */
export const exactBlock = (text: string): string => block(withHiddenInSight(text).toWellFormed())

/** Cut to a length in UTF-16 code units. */
export const cut = (text: string, max: number): string =>
  text.length > max ? `${text.slice(0, max - 1).toWellFormed()}…` : text

/** A text in which Discord formats and mentions nothing. */
export const escaped = (text: string): string => text.replaceAll(/[\\`*_~|<>[\]()#@:-]/g, '\\$&')

/** A short text in one such line. */
export const inline = (text: string, max: number): string =>
  escaped(cut(clean(text).replaceAll(/\s+/g, ' ').trim(), max))
