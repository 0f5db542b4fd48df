/** Why Cursor failed, by the sentences that it prints without JSON. */
import { stripVTControlCharacters } from 'node:util'
import type { Failure } from '../headless.ts'
import { bounded } from '../parts/json.ts'
import { resetTimeIn } from '../parts/reset-time.ts'

/** How much of a line is read, in UTF-16 code units. */
const LINE_MAX = 4_096

const ERROR = /^error\b:?\s*/i
const NOT_SIGNED_IN =
  /\bauthentication required\b|\bnot (?:logged|signed) in\b|\bpress any key to sign in\b|\bAPI key is invalid\b/i
const USAGE_LIMIT = /\b(?:hit|reached) your (?:[a-z]{1,20} )?usage limits?\b|\busage limit (?:is )?reached\b/i
const NOT_TRUSTED = /\bworkspace trust required\b/i

/** What a sentence means. */
export const failureOf = (sentence: string, now: number): Failure => {
  const message = bounded(sentence)
  const failure = { message, status: null, resetsAt: null }
  if (NOT_SIGNED_IN.test(message)) return { ...failure, reason: 'not_signed_in' }
  if (USAGE_LIMIT.test(message)) return { ...failure, reason: 'usage_limit', resetsAt: resetTimeIn(message, now) }
  return { ...failure, reason: 'cli_error' }
}

/** The failure that a line names; null for any other line. */
export const failureInLine = (text: string, now: number): Failure | null => {
  const line = stripVTControlCharacters(text.slice(0, LINE_MAX)).trim()
  const isKnown = [ERROR, NOT_SIGNED_IN, USAGE_LIMIT, NOT_TRUSTED].some((known) => known.test(line))
  return isKnown ? failureOf(line.replace(ERROR, '') || line, now) : null
}
