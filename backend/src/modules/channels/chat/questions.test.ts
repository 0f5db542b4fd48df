import type { DialogQuestion } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { CHUNK_MAX } from '../format/chunks.ts'
import { answerOfChoice, answerOfForm, closedPost, formOf, partOf, questionPost } from './questions.ts'

const id = '0199a0b0-0000-7000-8000-000000000000'
const url = `https://slipway.example.org/questions/${id}`
const asked = (question: DialogQuestion, title = 'Sure?') => ({ id, title, message: null, question })
const option = (label: string) => ({ value: label.toLowerCase(), label, description: null })
const field = (name: string, more: object) => ({
  ...{ name, label: name, description: null, required: true, options: null, multiple: false, custom: false },
  ...{ type: 'string' as const },
  ...more,
})
const colour = { type: 'select' as const, options: [option('Red'), option('Blue')], custom: true }
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
