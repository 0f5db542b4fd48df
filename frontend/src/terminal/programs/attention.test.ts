import { Terminal } from '@xterm/headless'
import type { Terminal as BrowserTerminal } from '@xterm/xterm'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AttentionWatch, type Attention } from './attention.ts'
import { answerStatusQuery } from './statusQuery.ts'

let terminal: Terminal
let watch: AttentionWatch
let heard: (Attention | null)[]
let isNews: boolean
let answers: string[]
const print = (text: string) => new Promise<void>((resolve) => terminal.write(text, resolve))

beforeEach(() => {
  heard = []
  answers = []
  terminal = new Terminal({ allowProposedApi: true })
  terminal.onData((text) => answers.push(text))
  answerStatusQuery(terminal as unknown as BrowserTerminal)
  watch = new AttentionWatch(terminal as unknown as BrowserTerminal, (attention, news) => {
    heard.push(attention)
    isNews = news
  })
})
afterEach(() => {
  watch.dispose()
  terminal.dispose()
})

describe('what asks a person to look', () => {
  it.each([
    ['the bell', '\x07', 'bell', 'rang the bell'],
    ['OSC 9', '\x1b]9;Approval requested\x07', 'message', 'Approval requested'],
    ['OSC 777', '\x1b]777;notify;Claude;needs you; now\x1b\\', 'message', 'Claude: needs you; now'],
    ['OSC 99 in one piece', '\x1b]99;;Build finished\x1b\\', 'message', 'Build finished'],
    [
      'OSC 99 in several',
      `\x1b]99;i=1:d=0;Bui\x1b\\\x1b]99;i=1:d=0;ld\x1b\\\x1b]99;i=1:p=body:e=1;${btoa('is done')}\x1b\\`,
      'message',
      'Build: is done',
    ],
    [
      'the program status protocol',
      `\x1b]7501;state=blocked:kind=permission:msg=${btoa('run it')}\x07`,
      'waits',
      'asks for permission: run it',
    ],
    ['the title of Gemini CLI', '\x1b]0;✋  Action Required (developer)\x07', 'waits', 'waits for you'],
  ])('%s', async (_what, sequence, kind, text) => {
    await print(sequence)
    expect(heard).toEqual([{ kind, text }])
  })

  it.each([
    ['a progress bar', '\x1b]9;4;1;50\x07'],
    ['a notice without a word', '\x1b]9;\u202e \x01\x07'],
    ['another command of OSC 777', '\x1b]777;precmd\x07'],
    ['a question about notices', '\x1b]99;i=x:p=?;\x1b\\'],
    ['a broken notice', '\x1b]99;e=1;%%%\x1b\\'],
    ['a title', '\x1b]0;✳ Claude Code\x07'],
    ['a broken status', '\x1b]7501;state=nonsense\x07'],
  ])('is not %s', async (_what, sequence) => {
    await print(sequence)
    expect(heard.filter((each) => each !== null)).toEqual([])
    expect(answers).toEqual([])
  })

  it('ends when the program goes on, and when another begins', async () => {
    await print('\x1b]7501;state=working\x07\x1b]7501;state=blocked\x07\x1b]7501;state=working\x07')
    expect(heard.at(-1)).toBeNull()
    await print('\x1b]0;✋ Action Required\x07\x1b]0;◇ Ready\x07')
    expect(heard.slice(-2)).toEqual([{ kind: 'waits', text: 'waits for you' }, null])
    await print('\x1b]7501;state=blocked\x07')
    watch.reset()
    expect(heard.at(-1)).toBeNull()
    await print('\x1b]7501;state=idle\x07')
    expect(heard.at(-1)).toBeNull()
  })

  it('answers the question for the protocol with the question, and nothing else that it hears', async () => {
    await print('\x1b]7501;?\x1b\\')
    expect(answers).toEqual(['\x1b]7501;?\x1b\\'])
  })

  it('is text, and short: no control, nothing that turns or hides what stands beside it', async () => {
    await print(`\x1b]9;a\u202eb\u200bc ${'x'.repeat(500)}\x07`)
    expect(heard[0]?.text).toMatch(/^a b c x+…$/)
    expect(heard[0]?.text).toHaveLength(200)
  })
})

describe('a screen that is drawn anew', () => {
  const BLOCKED = `\x1b]7501;state=blocked:kind=question:msg=${btoa('which one?')}\x07`
  const QUESTION = { kind: 'waits', text: 'has a question: which one?' }
  const redraw = async (screen: string): Promise<void> => {
    heard = []
    watch.redraw()
    await print(`\x1bc${screen}`)
    expect(heard).toEqual([])
    watch.redrawn()
  }

  it.each([
    ['a status', BLOCKED, QUESTION],
    ['a title', '\x1b]2;✋ Action Required\x07', { kind: 'waits', text: 'waits for you' }],
  ])(
    'says by %s that its program waits, which is no news to a page that is opened then',
    async (_by, screen, waits) => {
      await redraw(`${screen}\x07\x1b]9;from before\x07`)
      expect(heard.filter((each) => each !== null)).toEqual([waits])
      expect(isNews).toBe(false)
      await print(`\x1b]7501;state=blocked:msg=${btoa('and now?')}\x07`)
      expect(heard.at(-1)).toEqual({ kind: 'waits', text: 'waits for you: and now?' })
      expect(isNews).toBe(true)
    },
  )

  it.each([BLOCKED, '\x1b]2;✋ Action Required\x07'])(
    'leaves what waited waiting, without a word: %j',
    async (said) => {
      watch.begin()
      await print(said)
      await redraw(said)
      expect(heard).toEqual([])
    },
  )

  it('tells a user who was there before what has come meanwhile', async () => {
    watch.begin()
    await redraw(BLOCKED)
    expect(heard).toEqual([QUESTION])
    expect(isNews).toBe(true)
    await redraw('\x1b]7501;state=working\x07')
    expect(heard).toEqual([null])
    await redraw('\x1b]7501;state=done\x07')
    expect(heard).toEqual([null, { kind: 'finished', text: 'has finished' }])
  })

  it('may be drawn anew before it is there', async () => {
    watch.begin()
    await print(BLOCKED)
    watch.redraw()
    await print('\x1bc\x1b]7501;state=working\x07')
    await redraw(BLOCKED)
    expect(heard).toEqual([])
  })

  it('of a program that is gone says nothing of the next one', async () => {
    watch.begin()
    await print(BLOCKED)
    watch.reset()
    await redraw(BLOCKED)
    expect(heard).toEqual([QUESTION])
    expect(isNews).toBe(false)
  })
})
