import type { DialogQuestion, QuestionOf } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { CHUNK_MAX } from '../format/chunks.ts'
import { answerOfChoice, answerOfForm, closedPost, formOf, partOf, questionPost } from './questions.ts'

const id = '0199a0b0-0000-7000-8000-000000000000'
const url = `https://slipway.example.org/questions/${id}`
const asked = (question: DialogQuestion, title = 'Sure?') => ({
  ...{ id, title, message: null, folder: null, question },
})
const option = (label: string) => ({ value: label.toLowerCase(), label, description: null })
const field = (name: string, more: object) => ({
  ...{ name, label: name, description: null, required: true, options: null, multiple: false, custom: false },
  ...{ type: 'string' as const },
  ...more,
})
const colour = { type: 'select' as const, options: [option('Red'), option('Blue')], custom: true }
const approval = (more: Partial<QuestionOf<'approval'>>): DialogQuestion => ({
  ...{ kind: 'approval', tool: 'mcp__db__run', command: null, path: null, input: {}, why: null },
  ...{ tier: 2, reasons: ['It is not known.'], editable: false },
  ...more,
})
const shows = (question: DialogQuestion) => questionPost(asked(question), url).content
const labels = (question: DialogQuestion) => questionPost(asked(question), url).buttons?.map(({ label }) => label)
const values = (...texts: string[]) => new Map(texts.map((text, index) => [String(index), text]))

describe('a question in a chat', () => {
  it('has a button for each answer, and a form for a text', () => {
    expect(labels({ kind: 'confirm' })).toEqual(['Yes', 'No'])
    expect(labels({ kind: 'input', placeholder: null })).toEqual(['Answer'])
    expect(labels({ kind: 'select', multiple: false, options: [option('Red')] })).toEqual(['Red'])
    expect(labels({ kind: 'select', multiple: true, options: [option('Red')] })).toEqual(['Answer'])
    expect(labels({ kind: 'form', fields: [field('colour', colour)] })).toEqual(['Red', 'Blue', 'Another answer'])
    const many = Array.from({ length: 6 }, (_, index) => field(`f${index}`, {}))
    expect(labels({ kind: 'form', fields: many })).toEqual([])
  })

  it('fits into a message, however long its texts are, and always leads to its page', () => {
    const options = Array.from({ length: 100 }, (_, index) => option(`*${index}*`.repeat(100)))
    const question: DialogQuestion = { kind: 'select', multiple: true, options }
    const { content } = questionPost({ ...asked(question, '*'.repeat(200)), message: '`'.repeat(16_000) }, url)
    expect(content.length).toBeLessThanOrEqual(CHUNK_MAX)
    expect(content.endsWith(`\n-# <${url}>`)).toBe(true)
  })

  it('of a tool shows what the tool gets, the folder and why it is asked, and may be allowed', () => {
    const question = approval({ input: { sql: 'DROP TABLE users' }, why: 'The table is old.' })
    const { content, buttons } = questionPost({ ...asked(question), folder: '/home/developer/db\nTier 0.' }, url)
    expect(content).toContain('```\n{\n  "sql": "DROP TABLE users"\n}\n```')
    expect(content).toContain(String.raw`mcp\_\_db\_\_run`)
    expect(content).toContain('\nIn /home/developer/db�Tier 0.\nTier 2. It is not known.\nThe table is old.')
    expect(buttons?.map(({ label }) => label)).toEqual(['Allow once', 'Deny', 'Deny with a reason'])
  })

  it('of a change of files shows every path and every line', () => {
    const input = {
      changes: [1, 2].map((at) => ({ path: `/home/developer/${at}.ts`, diff: `-old ${at}\n+new ${at}` })),
    }
    const change = approval({ tool: 'apply_patch', input })
    for (const { path, diff } of input.changes) {
      expect(shows(change)).toContain(path)
      expect(shows(change)).toContain(JSON.stringify(diff))
    }
    const write = approval({ tool: 'Write', path: '/home/developer/a.sh', input: { content: 'rm -rf ~' } })
    expect(shows(write)).toContain('```\n/home/developer/a.sh\n```')
    expect(shows(write)).toContain('"content": "rm -rf ~"')
  })

  it.each<[what: string, more: Partial<QuestionOf<'approval'>>]>([
    ['a command', { command: `echo ${'x'.repeat(2000)}; rm -rf ~` }],
    ['a path', { path: `/${'x'.repeat(2000)}` }],
    ['an input', { input: { content: 'x'.repeat(2000) } }],
    ['an input that is nested too deeply', { input: '(a value that is nested too deeply)' }],
    ['an input that is not known', { input: null }],
    ['a reason', { why: 'x '.repeat(1000) }],
    ['a command with a fence', { command: 'echo ```id```' }],
    ['a path with a fence', { path: '/a```b' }],
  ])('is only denied, or allowed on its page, if %s cannot be shown whole', (_what, more) => {
    expect(labels(approval(more))).toEqual(['Deny', 'Deny with a reason'])
    expect(labels(approval({ ...more, takesReason: false }))).toEqual(['Deny'])
    const content = shows(approval(more))
    expect(content).toContain('This is not all of it.')
    expect(content.length).toBeLessThanOrEqual(CHUNK_MAX)
    expect(content.match(/```/g)!.length % 2).toBe(0)
  })

  it('shows a command of 1,500 characters whole', () => {
    const command = `echo ${'x'.repeat(1500)}; id`
    expect(shows(approval({ command }))).toContain(`\`\`\`\n${command}\n\`\`\``)
    expect(labels(approval({ command }))).toContain('Allow once')
  })

  it('hides no part of a command behind an escape sequence', () => {
    const content = shows(approval({ command: 'ls \u001b]0; ; rm -rf ~ ; \u0007' }))
    expect(content).toContain('ls �]0; ; rm -rf ~ ; �')
  })

  it('writes a fence of an input as JSON does, so that it ends no block', () => {
    const input = { text: '```\n@everyone ````' }
    const content = shows(approval({ input }))
    const [, json = ''] = content.split('```\n')
    expect(JSON.parse(json)).toEqual(input)
    expect(content.match(/```/g)).toHaveLength(2)
  })

  it('keeps the masks of secrets', () => {
    expect(shows(approval({ input: { header: 'Bearer ***' } }))).toContain('"header": "Bearer ***"')
  })

  it('shows the question itself below its heading', () => {
    const more = { ...colour, label: 'Paint', description: 'Which colour does the door get?' }
    const form: DialogQuestion = { kind: 'form', fields: [field('door', more)] }
    expect(shows(form)).toContain('Paint\nWhich colour does the door get?\n1. Red')
    const same = { ...colour, label: '', description: 'Which colour?' }
    expect(shows({ kind: 'form', fields: [field('Which colour?', same)] }).match(/Which colour/g)).toHaveLength(1)
  })

  it('is answered on its page alone if its texts or its options cannot be shown whole', () => {
    const long = 'word '.repeat(500)
    const fields = [field('door', { ...colour, description: long })]
    expect(labels({ kind: 'form', fields })).toEqual([])
    expect(shows({ kind: 'form', fields })).toContain('This is not all of it.')
    const options = Array.from({ length: 100 }, (_, index) => option(`Option number ${index}`))
    expect(labels({ kind: 'select', multiple: true, options })).toEqual([])
    const confirm = { ...asked({ kind: 'confirm' }), message: long }
    expect(questionPost(confirm, url).buttons).toEqual([])
  })

  it('with a text to edit opens a form only if the form takes all of the text', () => {
    expect(labels({ kind: 'editor', prefill: 'x'.repeat(4000) })).toEqual(['Answer'])
    expect(labels({ kind: 'editor', prefill: 'x'.repeat(4001) })).toEqual([])
  })

  it('gets the answer that the button stands for, and none for a button of another question', () => {
    const form: DialogQuestion = { kind: 'form', fields: [field('colour', colour)] }
    const [red] = questionPost(asked(form), url).buttons ?? []
    expect(partOf(red!.id)).toEqual({ dialogId: id, choice: '0' })
    expect(answerOfChoice(form, '1')).toEqual({ value: { colour: 'blue' } })
    expect(answerOfChoice(form, '2')).toBeNull()
    expect(answerOfChoice({ kind: 'confirm' }, 'allow')).toBeNull()
    expect(partOf('something else')).toBeNull()
  })

  it('gets numbers, yes and no, and options by their number or name from a form', () => {
    const fields = [
      field('count', { type: 'integer' }),
      field('sure', { type: 'boolean' }),
      field('colour', colour),
      field('note', { required: false }),
    ]
    const form: DialogQuestion = { kind: 'form', fields }
    expect(formOf(asked(form), 'answer').fields.map(({ label }) => label)).toEqual([
      ...['count (a whole number)', 'sure (yes or no)', 'colour (text or number)', 'note'],
    ])
    const value = { count: 3, sure: true, colour: 'blue' }
    expect(answerOfForm(form, 'answer', values('3', 'Yes', '2', ''))).toEqual({ value })
    expect(answerOfForm(form, 'answer', values('3', 'yes', 'BLUE', ''))).toEqual({ value })
    const several: DialogQuestion = { kind: 'select', multiple: true, options: [option('Red'), option('Blue')] }
    expect(answerOfForm(several, 'answer', values('1, 2'))).toEqual({ value: ['red', 'blue'] })
  })

  it('that is closed says how, and who answered', () => {
    const form: DialogQuestion = { kind: 'form', fields: [field('colour', colour)] }
    const closed = (state: 'answered' | 'expired', answer: Parameters<typeof closedPost>[0]['answer']) =>
      closedPost({ title: 'Sure?', question: form, state, answer }, 'ada').content
    expect(closed('answered', { value: { colour: 'blue' } })).toBe('**Sure?**\n✅ Blue, answered by ada')
    expect(closed('answered', { value: { colour: 'green' } })).toBe('**Sure?**\n✅ Answered by ada')
    expect(closed('expired', null)).toBe('**Sure?**\n⌛ The time to answer was over.')
  })
})
