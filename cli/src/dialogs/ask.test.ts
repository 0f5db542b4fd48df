import type { Dialog, DialogField, DialogQuestion } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { answered, failed, type Outcome, type Ui } from '../ui/ui.ts'
import { askDialog } from './ask.ts'
import { valueFor } from './value.ts'

type Asked = readonly [method: string, ...given: unknown[]]

/** A UI whose person gives these answers, one after the other. */
const answering = (...outcomes: readonly unknown[]) => {
  const asked: Asked[] = []
  const notices: string[] = []
  const left = [...outcomes]
  const next =
    (method: string) =>
    async <T>(...given: unknown[]): Promise<Outcome<T>> => {
      asked.push([method, ...given.slice(0, 2)])
      const value = left.shift()
      return typeof value === 'object' && value !== null && 'ok' in value ? (value as Outcome<T>) : answered(value as T)
    }
  const methods = { select: next('select'), confirm: next('confirm'), input: next('input'), editor: next('editor') }
  const ui = { ...methods, notify: (message: string) => void notices.push(message) } as unknown as Ui
  return { ui, asked, notices }
}

const dialogOf = (question: DialogQuestion, rest: Partial<Dialog> = {}): Dialog => ({
  ...{ id: 'd', agent: 'atlas', sessionId: 's', userId: 'u', requestId: 'r', folder: '/home/developer' },
  ...{ title: 'Title', message: null, question, state: 'open', openedAt: '', expiresAt: null },
  ...{ closedAt: null, answer: null, closedBy: null },
  ...rest,
})

const APPROVAL: DialogQuestion = {
  ...{ kind: 'approval', tool: 'Bash', command: 'sudo ls', path: null, input: {}, why: 'To see' },
  ...{ tier: 2, reasons: ['It runs as root.'], editable: true },
}
const field = (part: Partial<DialogField>): DialogField => ({
  ...{ name: 'f', label: 'Field', description: null, type: 'string', required: true, options: null },
  ...{ multiple: false, custom: false },
  ...part,
})

describe('an approval', () => {
  it('shows all that a person decides on in its title, and denies first', async () => {
    const { ui, asked } = answering('allow')
    expect(await askDialog(ui, dialogOf(APPROVAL), {})).toEqual({ kind: 'answer', answer: { decision: 'allow' } })
    expect(asked).toEqual([
      [
        'select',
        'Title\n$ sudo ls\nin /home/developer\nTier 2. It runs as root.\nTo see',
        expect.arrayContaining([expect.objectContaining({ value: 'edit' })]),
      ],
    ])
    expect(asked[0]?.[2]).toMatchObject([{ value: 'deny' }, { value: 'allow' }, { value: 'edit' }])
  })

  it('offers no other command where it takes none', async () => {
    const { ui, asked } = answering(null)
    const fixed = { ...APPROVAL, editable: false, command: null, path: '/a', input: { content: 'rm -rf ~' } }
    expect(await askDialog(ui, dialogOf(fixed), {})).toEqual({ kind: 'cancel' })
    expect(asked[0]?.[2]).toMatchObject([{ value: 'deny' }, { value: 'allow' }])
    expect(asked[0]?.[1]).toContain('Bash "/a" {"content":"rm -rf ~"}')
  })

  it('is denied with a reason, with none, and also where the second question has no answer', async () => {
    const denied = async (...outcomes: unknown[]) =>
      askDialog(answering('deny', ...outcomes).ui, dialogOf(APPROVAL), {})
    const answer = { decision: 'deny' }
    expect(await denied(' why ')).toEqual({ kind: 'answer', answer: { ...answer, reason: 'why' } })
    expect(await denied('')).toEqual({ kind: 'answer', answer })
    expect(await denied(null)).toEqual({ kind: 'answer', answer })
    expect(await denied(failed('timeout'))).toEqual({ kind: 'answer', answer })
    expect(await denied(failed('withdrawn'))).toMatchObject({ kind: 'none' })
  })

  it('is changed, and an emptied or cancelled command leads back to the choice', async () => {
    const { ui } = answering('edit', ' ', 'edit', null, 'edit', 'ls')
    const answer = { decision: 'allow', command: 'ls' }
    expect(await askDialog(ui, dialogOf(APPROVAL), {})).toEqual({ kind: 'answer', answer })
  })

  it.each(['timeout', 'connection_closed', 'server_shutdown', 'invalid_response'] as const)(
    'stays open after %s, which is no yes',
    async (error) => {
      const reply = await askDialog(answering(failed(error)).ui, dialogOf(APPROVAL), {})
      expect(reply).toEqual({ kind: 'none', error, message: error })
    },
  )
})

describe('a question', () => {
  const options = [{ value: 'a', label: 'One', description: null }]
  it.each<[DialogQuestion, unknown]>([
    [{ kind: 'select', options, multiple: false }, 'a'],
    [{ kind: 'select', options, multiple: true }, ['a']],
    [{ kind: 'confirm' }, false],
    [{ kind: 'input', placeholder: null }, ''],
    [{ kind: 'editor', prefill: 'x' }, 'y'],
  ])('of the kind %j is answered with its value, or cancelled', async (question, value) => {
    const dialog = dialogOf(question, { message: 'More' })
    expect(await askDialog(answering(value).ui, dialog, {})).toEqual({ kind: 'answer', answer: { value } })
    expect(await askDialog(answering(null).ui, dialog, {})).toEqual({ kind: 'cancel' })
  })
})

describe('a form', () => {
  const fields = [
    field({ name: 'name' }),
    field({ name: 'sure', type: 'boolean' }),
    field({ name: 'many', type: 'integer' }),
    field({ name: 'colour', type: 'select', options: [{ value: 'red', label: 'Red', description: null }] }),
    field({ name: 'left', required: false }),
    field({ name: 'none', type: 'select', required: false, options: [] }),
    field({ name: 'empty', type: 'number', required: false }),
  ]
  const dialog = dialogOf({ kind: 'form', fields })

  it('asks for each field, again for what is no number, and leaves empty ones out', async () => {
    const { ui, asked, notices } = answering('ann', true, 'x', '1.5', '3', 'red', '', '', ' ')
    expect(await askDialog(ui, dialog, {})).toEqual({
      ...{ kind: 'answer', answer: { value: { name: 'ann', sure: true, many: 3, colour: 'red' } } },
    })
    expect(asked.map(([method]) => method)).toEqual([
      ...['input', 'confirm', 'input', 'input', 'input', 'select', 'input', 'select', 'input'],
    ])
    expect(notices).toEqual(['Enter a whole number.', 'Enter a whole number.'])
  })

  it('is cancelled with one of its fields, and stays open with one that has no answer', async () => {
    expect(await askDialog(answering('ann', null).ui, dialog, {})).toEqual({ kind: 'cancel' })
    expect(await askDialog(answering('ann', failed('timeout')).ui, dialog, {})).toMatchObject({ kind: 'none' })
    expect(await askDialog(answering('ann', true, 'a', 'b', 'c').ui, dialog, {})).toMatchObject({
      error: 'invalid_response',
    })
  })
})

describe('an answer on the command line', () => {
  it('is what its question takes', () => {
    const select: DialogQuestion = { kind: 'select', options: [], multiple: false }
    expect(valueFor({ kind: 'confirm' }, ['Yes'])).toBe(true)
    expect(valueFor({ kind: 'confirm' }, ['no'])).toBe(false)
    expect(valueFor(select, ['a'])).toBe('a')
    expect(valueFor({ ...select, multiple: true }, ['a', 'b'])).toEqual(['a', 'b'])
    expect(valueFor({ kind: 'input', placeholder: null }, ['text'])).toBe('text')
    expect(valueFor({ kind: 'form', fields: [] }, ['{"a":1}'])).toEqual({ a: 1 })
  })

  it('is refused where it can be none', () => {
    expect(() => valueFor({ kind: 'confirm' }, ['maybe'])).toThrow('takes yes or no')
    expect(() => valueFor({ kind: 'confirm' }, ['yes', 'no'])).toThrow('takes one --value')
    expect(() => valueFor({ kind: 'form', fields: [] }, ['[]'])).toThrow('as JSON')
    expect(() => valueFor(APPROVAL, ['yes'])).toThrow('--allow or --deny')
  })
})
