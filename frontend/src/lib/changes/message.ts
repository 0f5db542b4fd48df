/** The message of a commit that a coding CLI answered. */
import { COMMIT_MESSAGE_MAX } from '@slipway/protocol'

/** A fence around all of the text, as Markdown has it. */
const FENCED = /^```[^\n`]*\n([\s\S]*?)\n?```$/

/** The message alone, without a fence or quotation marks around it. Empty: there is none. */
export function messageIn(answer: string): string {
  const text = answer.replaceAll('\r\n', '\n').replaceAll('\0', '').trim()
  const inside = FENCED.exec(text)?.[1] ?? text
  const bare = /^"([^"\n]+)"$/.exec(inside.trim())?.[1] ?? inside
  return bare.trim().slice(0, COMMIT_MESSAGE_MAX)
}
