/** Several CLIs print their JSON in the form of Claude Code, which then is read as such. */
import type { ClaudeReading } from '../claude/reading.ts'
import type { Verdict } from '../headless.ts'
import { type Fields, fieldsIn } from '../parts/json.ts'

/** Whether an object has the form of one of Claude's. */
export const isClaudes = ({ type, subtype, is_error: isError, message }: Fields): boolean => {
  switch (type) {
    case 'system':
      return typeof subtype === 'string'
    case 'assistant':
    case 'user':
      return Array.isArray(fieldsIn(message).content)
    case 'result':
      return typeof subtype === 'string' && typeof isError === 'boolean'
    default:
      return false
  }
}

/** Nothing resumes a session of a custom provider, so it has none. */
export const verdictOfClaude = (reading: ClaudeReading, hasWorked: boolean): Verdict => {
  const verdict = reading.verdict()
  return { ...verdict, sessionId: null, hasWorked: hasWorked || verdict.hasWorked }
}
