import { KeyboardProtocol, SynchronizedOutput } from '@slipway/emulator'
import { Terminal } from '@xterm/headless'
import type { Terminal as BrowserTerminal } from '@xterm/xterm'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AttentionWatch } from './attention.ts'
import { watchClipboard } from './clipboardWrite.ts'
import { answerStatusQuery } from './statusQuery.ts'

/** Answers that the emulator may give: fixed forms of numbers. No output of a program can get into them. */
/* eslint-disable no-control-regex -- terminals answer in escape sequences */
const ANSWERS = [
  /^\x1b\[[?>]?[\d;]*c$/, // type of terminal
  /^\x1b\[\??\d+(;\d+)?[nR]$/, // status, and position of the cursor
  /^\x1b\[\??\d+;\d\$y$/, // state of a mode
  /^\x1bP[01]\$r[\d;"]*[mrqp ]*\x1b\\$/, // style, scroll region and protection
  /^\x1b\]7501;\?\x1b\\$/, // supports the program status protocol
  /^\x1b\[[IO]$/,
]
/* eslint-enable no-control-regex */
const TRAP = 'evil'
/** Queries and commands whose answers contained an attacker's text in some terminal. */
const CORPUS = [
  '\x1b[c\x1b[>c\x1b[=c\x1b[5n\x1b[6n\x1b[?6n\x1b[?15n',
  `\x1bP$q${TRAP}\r\x1b\\\x1bP$qm\x1b\\\x1bP$qr\x1b\\\x1bP$q"p\x1b\\\x1bP$q q\x1b\\`,
  `\x1b]0;${TRAP}\r\x07\x1b[20t\x1b[21t\x1b[11t\x1b[13t\x1b[14t\x1b[18t\x1b[19t`,
  `\x1b]52;c;?\x07\x1b]52;p;?\x1b\\\x1b]52;c;${btoa(TRAP)}\x07\x1b]52;;?\x07`,
  `\x1b]50;?\x07\x1b]60\x07\x1b]1337;ReportCellSize\x07\x1b]1337;ReportVariable=${btoa(TRAP)}\x07`,
  `\x1b]7501;?\x1b\\\x1b]7501;?${TRAP}\r\x07\x1b]7501;state=idle:msg=${btoa(TRAP)}\x07`,
  `\x1b]99;i=${TRAP}:p=?;\x1b\\\x1b]9;${TRAP}\x07\x1b]777;notify;${TRAP}\x07\x05`,
  `\x1b[?1$p\x1b[4$p\x1b[?2004$p\x1b[?2026$p\x1b[?2026h\x1b[?2026$p\x1b[?2026l\x1b[?u\x1b[>1u\x1b[?u\x1b[<u\x1b[>4;2m\x1b[>q`,
  `\x1bP+q${TRAP}\x1b\\\x1bP>|${TRAP}\x1b\\\x1b_G${TRAP}\x1b\\\x1b^${TRAP}\x1b\\\x1bX${TRAP}\x1b\\`,
]

let terminal: Terminal
let answers: string[]
let copied: string[]

beforeEach(() => {
  answers = []
  copied = []
  terminal = new Terminal({ allowProposedApi: true })
  const asInBrowser = terminal as unknown as BrowserTerminal
  terminal.onData((text) => answers.push(text))
  answerStatusQuery(asInBrowser)
  new AttentionWatch(asInBrowser, () => undefined)
  new SynchronizedOutput(terminal)
  new KeyboardProtocol(terminal.parser, () => terminal.buffer.active.type)
  watchClipboard(
    asInBrowser,
    () => true,
    (text) => copied.push(text),
  )
})
afterEach(() => terminal.dispose())

describe('output that wants to type', () => {
  it.each(CORPUS)('gets answers of fixed forms only: %j', async (output) => {
    await new Promise<void>((resolve) => terminal.write(output, resolve))
    for (const answer of answers) {
      expect(answer).not.toContain(TRAP)
      expect(
        ANSWERS.some((form) => form.test(answer)),
        JSON.stringify(answer),
      ).toBe(true)
    }
    expect(copied).toEqual(output.includes(`52;c;${btoa(TRAP)}`) ? [TRAP] : [])
  })

  it('is answered at all, so that silence means something', async () => {
    await new Promise<void>((resolve) => terminal.write(CORPUS.join(''), resolve))
    expect(answers.length).toBeGreaterThan(5)
    expect(answers.filter((answer) => answer.includes('7501'))).toHaveLength(2)
  })
})
