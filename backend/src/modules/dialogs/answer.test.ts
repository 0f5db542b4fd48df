import type { AnswerDialog, DialogQuestion } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { refusalOf } from './answer.ts'
import type { NewDialog } from './repository.ts'
import { DialogService } from './service.ts'

const options = ['red', 'blue'].map((value) => ({ value, label: value, description: null }))
const field = { label: '', description: null, required: true, options: null, multiple: false, custom: false }
const form: DialogQuestion = {
  kind: 'form',
  fields: [
    { ...field, name: 'name', type: 'string' },
    { ...field, name: 'age', type: 'integer', required: false },
    { ...field, name: 'colour', type: 'select', options, custom: true },
    { ...field, name: 'all', type: 'select', options, multiple: true, required: false },
  ],
}
const approval = (editable: boolean, command = 'ls'): DialogQuestion => ({
  ...{
    kind: 'approval',
    tool: 'Bash',
    command,
    path: null,
    input: {},
    why: null,
    editable,
    tier: 0,
    reasons: [],
  },
})

describe('an answer', () => {
  it.each<[what: string, question: DialogQuestion, answer: AnswerDialog]>([
    ['allows', approval(true), { decision: 'allow' }],
    ['allows another command', approval(true), { decision: 'allow', command: 'ls -l' }],
    ['denies', approval(false), { decision: 'deny', reason: 'No.' }],
    ['confirms', { kind: 'confirm' }, { value: false }],
    ['is a text', { kind: 'input', placeholder: null }, { value: '' }],
    ['is an option', { kind: 'select', options, multiple: false }, { value: 'red' }],
    ['is several options', { kind: 'select', options, multiple: true }, { value: ['red', 'blue'] }],
    ['fills a form', form, { value: { name: 'x', colour: 'a colour of my own', all: [] } }],
  ])('fits if it %s', (_what, question, answer) => {
    expect(refusalOf(question, answer)).toBeNull()
  })

  it.each<[what: string, question: DialogQuestion, answer: AnswerDialog, refusal: string]>([
    ['no decision', approval(true), { value: true }, 'body.decision: is needed'],
    [
      'a command that may not change',
      approval(false),
      { decision: 'allow', command: 'x' },
      'body.command: cannot be changed here',
    ],
    ['a decision about a choice', { kind: 'confirm' }, { decision: 'allow' }, 'body.value: is needed'],
    ['a text for a yes', { kind: 'confirm' }, { value: 'yes' }, 'body.value: must be true or false'],
    [
      'an option that is none',
      { kind: 'select', options, multiple: false },
      { value: 'green' },
      'body.value: must be one of the options',
    ],
    [
      'one option in place of a list',
      { kind: 'select', options, multiple: true },
      { value: 'red' },
      'body.value: must be a list of options',
    ],
    ['a list in place of a form', form, { value: ['x'] }, 'body.value: must have the values of the fields'],
    ['a field that is missing', form, { value: { name: 'x' } }, 'body.value.colour: is needed'],
    [
      'a field that the form does not have',
      form,
      { value: { name: 'x', colour: 'red', other: 1 } },
      'body.value.other: is no field of this form',
    ],
    ['half a year', form, { value: { name: 'x', colour: 'red', age: 1.5 } }, 'body.value.age: must be a whole number'],
    [
      'a name of Object',
      form,
      { value: JSON.parse('{"__proto__":"x","name":"x","colour":"red"}') as never },
      'body.value.__proto__: is no field of this form',
    ],
  ])('is refused with %s', (_what, question, answer, refusal) => {
    expect(refusalOf(question, answer)).toBe(refusal)
  })
})

describe('a question with a masked secret', () => {
  it('is opened without the offer to edit its command, which would run the mask', async () => {
    const opened: NewDialog[] = []
    const repository = { open: (dialog: NewDialog) => Promise.resolve(opened.push(dialog) > 0 ? null : dialog) }
    const service = new DialogService({ repository, newId: () => 'id' } as never)
    const about = { agentId: 'a', agentName: 'a', userId: null, runId: null, requestId: null, personal: false }
    for (const command of ['curl -u me:*** host', 'ls'])
      await service.open({ ...about, folder: null, title: '', message: null, question: approval(true, command) })
    expect(opened.map(({ question }) => question)).toMatchObject([{ editable: false }, { editable: true }])
  })
})
