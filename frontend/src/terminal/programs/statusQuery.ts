import type { IDisposable, Terminal } from '@xterm/xterm'

/** The answer is the question, and holds nothing of what a program has printed. */
const ANSWER = '\x1b]7501;?\x1b\\'

/**
 * Answers programs that ask whether the program status protocol is understood here, on every page: who has control answers, whether
 * they are shown what is reported or not. Without an answer a program reports to nobody.
 */
export const answerStatusQuery = (terminal: Terminal): IDisposable =>
  terminal.parser.registerOscHandler(7501, (payload) => {
    if (!payload.startsWith('?')) return false
    terminal.input(ANSWER, false)
    return true
  })
