import type { DialogQuestion } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { answerOf, draftsOf, type FieldDraft, fieldsOf, problemOf, type QuestionWithFields } from './fields.ts'

const OPTIONS = [
  { value: 'a', label: 'One', description: null },
  { value: 'b', label: 'Two', description: null },
]
const FIELD = { label: '', description: null, required: true, options: null, multiple: false, custom: false }
const form = (...fields: Extract<DialogQuestion, { kind: 'form' }>['fields']): QuestionWithFields => ({
  kind: 'form',
  fields,
})
/** The drafts of a question after the user has changed the first fields. */
const drafted = (question: QuestionWithFields, ...changes: Partial<FieldDraft>[]): FieldDraft[] =>
  draftsOf(question).map((draft, at) => ({ ...draft, ...changes[at] }))
const problems = (question: QuestionWithFields, ...changes: Partial<FieldDraft>[]): (string | null)[] =>
  drafted(question, ...changes).map((draft, at) => problemOf(fieldsOf(question)[at]!, draft))

describe('an answer', () => {
  it('is the value of an option, the values of several, or a text', () => {
    const one = { kind: 'select', options: OPTIONS, multiple: false } as const
    const several = { ...one, multiple: true }
    const editor = { kind: 'editor', prefill: 'old' } as const
    expect(answerOf(one, drafted(one, { chosen: ['b'] }))).toEqual({ value: 'b' })
    expect(answerOf(several, drafted(several, { chosen: ['b', 'a'] }))).toEqual({ value: ['b', 'a'] })
    expect(answerOf(several, drafted(several))).toEqual({ value: [] })
    expect(answerOf(editor, drafted(editor))).toEqual({ value: 'old' })
    expect(answerOf({ kind: 'input', placeholder: null }, drafted({ kind: 'input', placeholder: null }))).toEqual({
      value: '',
    })
  })

  it('of a form has each field that was filled in by its name, whatever the name is', () => {
    const question = form(
      { ...FIELD, name: '__proto__', type: 'string' },
      { ...FIELD, name: 'n', type: 'integer' },
      { ...FIELD, name: 'yes', type: 'boolean' },
      { ...FIELD, name: 'left', type: 'number', required: false },
      { ...FIELD, name: 'which', type: 'select', options: OPTIONS, multiple: true, custom: true },
    )
    const drafts = drafted(
      question,
      { text: 'x' },
      { text: ' 12 ' },
      { isYes: true },
      {},
      {
        chosen: ['a'],
        isOwn: true,
        text: ' mine ',
      },
    )
    expect(JSON.stringify(answerOf(question, drafts))).toBe(
      '{"value":{"__proto__":"x","n":12,"yes":true,"which":["a","mine"]}}',
    )
  })
})

describe('a field', () => {
  it('is not sent without a needed answer, or with one that does not fit', () => {
    const choice = { ...FIELD, name: 'c', type: 'select', options: OPTIONS, custom: true } as const
    expect(problems(form(choice), {})).toEqual(['Choose an option.'])
    expect(problems(form({ ...choice, multiple: true }), {})).toEqual(['Choose an option.'])
    expect(problems(form(choice), { isOwn: true, text: ' ' })).toEqual(['Write your own answer.'])
    expect(problems(form({ ...FIELD, name: 's', type: 'string' }), {})).toEqual(['An answer is needed.'])
    expect(problems(form({ ...FIELD, name: 'i', type: 'integer' }), { text: '1.5' })).toEqual([
      'Must be a whole number.',
    ])
    expect(problems(form({ ...FIELD, name: 'n', type: 'number' }), { text: 'many' })).toEqual(['Must be a number.'])
  })

  it('may stay empty if the agent needs no answer to it', () => {
    const optional = { ...FIELD, required: false, options: OPTIONS }
    expect(problems(form({ ...optional, name: 's', type: 'string' }), {})).toEqual([null])
    expect(problems(form({ ...optional, name: 'c', type: 'select', multiple: true }), {})).toEqual([null])
    expect(problems({ kind: 'input', placeholder: null }, {})).toEqual([null])
  })
})
