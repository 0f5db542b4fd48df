/** One script of dialogs for all four ways to ask a person. */
import { describe, expect, it } from 'vitest'
import type { Outcome, Ui } from '../ui/ui.ts'
import { type Act, SUBJECTS } from './subjects.ts'

const OPTIONS = [
  { value: 'red', label: 'Red' },
  { value: 'green', label: 'Green', description: 'Like grass' },
  { value: 'blue', label: 'Blue' },
]

interface Scene {
  readonly what: string
  readonly title: string
  readonly ask: (ui: Ui) => Promise<Outcome<unknown>>
  readonly act: Act
  /** What the person's answer is worth. */
  readonly answer: unknown
  /** Its outcome without people. */
  readonly byDefault: unknown
}

const SCRIPT: readonly Scene[] = [
  {
    ...{ what: 'an option', title: 'Which colour?', answer: 'green', byDefault: null },
    ask: (ui) => ui.select('Which colour?', OPTIONS),
    act: { do: 'choose', index: 1, value: 'green' },
  },
  {
    ...{ what: 'several options', title: 'Which colours?', answer: ['red', 'blue'], byDefault: null },
    ask: (ui) => ui.select('Which colours?', OPTIONS, { multiple: true }),
    act: { do: 'check', indexes: [0, 2], values: ['red', 'blue'] },
  },
  {
    ...{ what: 'no options of several', title: 'Any colours?', answer: [], byDefault: null },
    ask: (ui) => ui.select('Any colours?', OPTIONS, { multiple: true }),
    act: { do: 'check', indexes: [], values: [] },
  },
  {
    ...{ what: 'yes', title: 'Deploy now?', answer: true, byDefault: false },
    ask: (ui) => ui.confirm('Deploy now?', 'It takes a minute.'),
    act: { do: 'yes' },
  },
  {
    ...{ what: 'no', title: 'Delete all?', answer: false, byDefault: false },
    ask: (ui) => ui.confirm('Delete all?', ''),
    act: { do: 'no' },
  },
  {
    ...{ what: 'a text', title: 'Your name?', answer: 'ann', byDefault: null },
    ask: (ui) => ui.input('Your name?', 'name'),
    act: { do: 'write', text: 'ann' },
  },
  {
    ...{ what: 'a changed text', title: 'The message', answer: 'old and new', byDefault: null },
    ask: (ui) => ui.editor('The message', 'old'),
    act: { do: 'append', text: ' and new', prefill: 'old' },
  },
  ...(
    [
      ['select', (ui: Ui) => ui.select('Cancel select', OPTIONS), null],
      ['confirm', (ui: Ui) => ui.confirm('Cancel confirm', ''), false],
      ['input', (ui: Ui) => ui.input('Cancel input', null), null],
      ['editor', (ui: Ui) => ui.editor('Cancel editor', 'x'), null],
    ] as const
  ).map(([kind, ask, byDefault]): Scene => ({
    ...{ what: `nothing, for a cancelled ${kind}`, title: `Cancel ${kind}`, answer: null, byDefault },
    ...{ ask, act: { do: 'cancel' } },
  })),
]

describe.each(Object.entries(SUBJECTS))('%s', (name, make) => {
  const isHeadless = name === 'headless'

  it.each(SCRIPT)('answers $what', async ({ title, ask, act, answer, byDefault }) => {
    const subject = make()
    const asked = ask(subject.ui)
    await subject.answer(title, act)
    expect(await asked).toEqual({ ok: true, value: isHeadless ? byDefault : answer })
  })

  it('answers several questions that were asked at once', async () => {
    const { ui, answer } = make()
    const asked = [ui.input('First question', null), ui.confirm('Second question', '')]
    await answer('First question', { do: 'write', text: 'one' })
    await answer('Second question', { do: 'yes' })
    const values = isHeadless ? [null, false] : ['one', true]
    expect(await Promise.all(asked)).toEqual(values.map((value) => ({ ok: true, value })))
  })

  it('takes every notice and indicator, and knows the text of the editor', () => {
    const { ui } = make()
    for (const type of ['info', 'success', 'warning', 'error'] as const) ui.notify('notice', type)
    ui.notify('notice')
    for (const text of ['running', null]) ui.setStatus('state', text)
    for (const content of ['one', ['one', 'two'], null]) ui.setWidget('plan', content)
    for (const message of ['working', null]) ui.setWorkingMessage(message)
    ui.setTitle('title')
    expect(ui.getEditorText()).toBe('')
    ui.setEditorText('text')
    expect([ui.getEditorText(), ui.hasUi()]).toEqual(isHeadless ? ['', false] : ['text', true])
  })
})

const { rpc, debug, tty } = SUBJECTS
describe.each(Object.entries({ rpc, debug, tty }))('%s', (_name, make) => {
  it('gives up a question that was answered elsewhere, and asks the next one', async () => {
    const { ui, answer, shown } = make()
    const elsewhere = new AbortController()
    const [first, second] = [
      ui.select('Withdrawn question', OPTIONS, { signal: elsewhere.signal }),
      ui.input('Next question', null),
    ]
    await shown('Withdrawn question')
    elsewhere.abort()
    expect(await first).toMatchObject({ ok: false, error: 'withdrawn' })
    await answer('Next question', { do: 'write', text: 'x' })
    expect(await second).toEqual({ ok: true, value: 'x' })
  })
})
