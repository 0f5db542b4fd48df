import { Terminal } from '@xterm/headless'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { encodeBase64 as base64 } from './base64.ts'
import { parseStatus, ProgramStatus, type StatusNews } from './program-status.ts'

describe('a report', () => {
  it('is what Claude Code says when it asks', () => {
    const payload = `state=blocked:app=claude-code:kind=permission:msg=${base64('approve Bash: écho hi')}`
    expect(parseStatus(payload)).toEqual({
      id: '',
      state: 'blocked',
      kind: 'permission',
      message: 'approve Bash: écho hi',
    })
    expect(parseStatus('state=clear')).toEqual({ id: '', state: null, kind: null, message: null })
    expect(parseStatus('state=working:id=build/test:later=1')).toMatchObject({ id: 'build/test', state: 'working' })
  })

  it.each([
    '',
    'working',
    'state=',
    'state=dancing',
    'state=blocked:kind=whim',
    'state=idle:id=a//b',
    'state=idle:id=../../x y',
    `state=idle:id=${'a/'.repeat(8)}a`,
    `state=idle:id=${'a'.repeat(33)}`,
    'state=idle:msg=%%%',
    `state=idle:msg=${btoa('\xff\xfe')}`,
    `state=idle:msg=${base64('two\nlines')}`,
    `state=idle:msg=${base64('x'.repeat(2049))}`,
    `state=idle:${'x'.repeat(5000)}`,
  ])('counts for nothing as %s', (payload) => expect(parseStatus(payload)).toBeNull())
})

describe('the status of a program', () => {
  let terminal: Terminal
  let status: ProgramStatus
  let heard: StatusNews[]
  const print = (text: string) => new Promise<void>((resolve) => terminal.write(text, resolve))
  const report = (...payloads: string[]) => print(payloads.map((payload) => `\x1b]7501;${payload}\x1b\\`).join(''))

  beforeEach(() => {
    heard = []
    terminal = new Terminal({ allowProposedApi: true })
    status = new ProgramStatus(terminal.parser, (news) => heard.push(news))
  })
  afterEach(() => terminal.dispose())

  it('waits when it is blocked, each time with another question, and finishes when it was at work', async () => {
    await report('state=idle', 'state=working', 'state=blocked:kind=question', 'state=blocked:kind=question')
    expect(heard.map(({ kind }) => kind)).toEqual(['none', 'none', 'waits', 'none'])
    expect(status.blocked).toBe(true)
    await report(`state=blocked:msg=${base64('another')}`)
    expect(heard.at(-1)?.kind).toBe('waits')
    await report('state=working')
    expect(heard.at(-1)?.kind).toBe('none')
    expect(status.blocked).toBe(false)
    await report('state=done')
    expect(heard.at(-1)).toEqual({ kind: 'finished', failed: false })
    await report('state=idle')
    expect(heard.at(-1)?.kind).toBe('none')
    await report('state=working', 'state=idle')
    expect(heard.at(-1)).toEqual({ kind: 'finished', failed: false })
    await report('state=working', 'state=error')
    expect(heard.at(-1)).toEqual({ kind: 'finished', failed: true })
  })

  it('takes a part back with what is below it, and all with none named', async () => {
    await report('state=blocked:id=a', 'state=blocked:id=a/b', 'state=blocked:id=ab')
    await report('state=clear:id=ab', 'state=clear:id=a')
    expect(status.blocked).toBe(false)
    await report('state=blocked:id=a/b', 'state=clear')
    expect(status.blocked).toBe(false)
  })

  it('holds no more records than it says', async () => {
    await report('state=blocked:id=first')
    for (let at = 0; at < 64; at += 1) await report(`state=idle:id=n${at}`)
    expect(status.blocked).toBe(false)
  })

  it('ends with a full reset, and its questions where a shell says that a prompt begins', async () => {
    await report('state=blocked')
    await print('\x1b[!p\x1b]133;B\x07')
    expect(status.blocked).toBe(true)
    await report('state=done:id=a')
    await print('\x1b]133;A\x07')
    expect(status.blocked).toBe(false)
    expect(status.restoring()).toContain('id=a')
    await print('\x1bc')
    expect(status.restoring()).toBe('')
    expect(heard.at(-1)).toEqual({ kind: 'none' })
  })

  it('can be told to another emulator, words and order and all', async () => {
    const said = ['state=working', `state=blocked:id=a/b:kind=auth:msg=${base64('écho ✓')}`, 'state=done:id=c']
    await report(...said)
    expect(status.restoring()).toBe(said.map((payload) => `\x1b]7501;${payload}\x1b\\`).join(''))
  })

  it('is news to a client that knew another one, and none to a client that knew the same', async () => {
    await report('state=working', 'state=blocked:id=a', 'state=blocked:id=b')
    const said = status.restoring()
    const before = status.take()
    expect(status.restoring()).toBe('')
    await print(said)
    expect(status.newsSince(before)).toEqual({ kind: 'none' })
    expect(status.newsSince(new Map())).toMatchObject({ kind: 'waits', report: { id: 'b' } })
    await report('state=clear:id=a', 'state=clear:id=b', 'state=done')
    expect(status.newsSince(before)).toEqual({ kind: 'finished', failed: false })
    expect(status.newsSince(new Map())).toEqual({ kind: 'none' })
  })

  it('leaves the question whether it is understood to others', async () => {
    const asked: string[] = []
    const answers = terminal.parser.registerOscHandler(7501, (payload) => asked.push(payload) > 0)
    await report('?')
    // The handler that was registered last is called first.
    new ProgramStatus(terminal.parser)
    await report('?', 'state=idle')
    expect(asked).toEqual(['?', '?'])
    answers.dispose()
  })
})
