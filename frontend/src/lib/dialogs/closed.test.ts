import type { Dialog } from '@slipway/protocol'
import { expect, it } from 'vitest'
import { closingOf } from './closed.ts'

const ANN = 'ann@example.org'
const closed = (part: Partial<Dialog>): Dialog =>
  ({
    ...{ state: 'answered', closedBy: ANN, answer: null },
    question: { kind: 'select', multiple: true, options: [{ value: 'a', label: 'Apple', description: null }] },
    ...part,
  }) as Dialog
const wordsOf = (part: Partial<Dialog>, me: string | null = null): [string, string | null] | null => {
  const closing = closingOf(closed(part), me)
  return closing && [closing.words, closing.text]
}

it('says who answered what, in the words of the question', () => {
  expect(wordsOf({ answer: { value: ['a', 'own'] } })).toEqual([`${ANN} answered`, 'Apple, own'])
  expect(wordsOf({ answer: { decision: 'allow' } }, ANN)).toEqual(['You allowed it once', null])
  expect(wordsOf({ answer: { decision: 'allow', command: 'ls' } })).toEqual([`${ANN} allowed another command`, 'ls'])
  expect(wordsOf({ answer: { decision: 'deny', reason: ' ' } })).toEqual([`${ANN} denied it`, null])
  expect(wordsOf({ answer: { decision: 'deny', reason: 'no' } })).toEqual([`${ANN} denied it`, 'no'])
})

it('names the fields of a form', () => {
  const field = { description: null, required: true, options: null, multiple: false, custom: false }
  const fields = [
    { ...field, name: 'a', label: 'Sure', type: 'boolean' as const },
    { ...field, name: 'b', label: '', type: 'string' as const },
  ]
  expect(wordsOf({ question: { kind: 'form', fields }, answer: { value: { a: true, b: 'x' } } })).toEqual([
    `${ANN} answered`,
    'Sure: Yes\nb: x',
  ])
})

it('says why there is no answer, and nothing of an open question', () => {
  expect(wordsOf({ state: 'cancelled' })).toEqual([`${ANN} did not want to answer`, null])
  expect(wordsOf({ state: 'expired', closedBy: null })).toEqual(['Its time is over, which means no', null])
  expect(wordsOf({ state: 'withdrawn', closedBy: null })?.[0]).toBe('The agent does not wait for an answer any more')
  expect(wordsOf({ state: 'open' })).toBeNull()
})
