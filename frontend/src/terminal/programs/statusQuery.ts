import type { IDisposable, Terminal } from '@xterm/xterm'

/** The answer repeats the query, and contains no output of a program. */
const ANSWER = '\x1b]7501;?\x1b\\'

/**
 * Answers a program's query whether this terminal supports the program status protocol. Every page answers while its
 * user has control, whether or not it shows the reports. Without an answer, a program sends no reports.
 */
export const answerStatusQuery = (terminal: Terminal): IDisposable =>
  terminal.parser.registerOscHandler(7501, (payload) => {
    if (!payload.startsWith('?')) return false
    terminal.input(ANSWER, false)
    return true
  })
