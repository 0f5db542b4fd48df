import type { Participant } from '@slipway/protocol'
import { expect, test } from 'vitest'
import { companyOf, mayGiveTo } from './company.ts'

const person = (id: string, more: Partial<Participant> = {}): Participant => ({
  id,
  name: `${id}@example.org`,
  isHolder: false,
  hasControl: false,
  mayControl: true,
  asks: false,
  ...more,
})
const ann = person('ann', { isHolder: true, hasControl: true })
const bob = person('bob', { asks: true })
const guest = person('guest', { mayControl: false })
const seenBy = (you: string, people = [ann, bob, guest]) => companyOf({ type: 'people', you, people })!

test('every user sees who has control, and who asks for it', () => {
  expect(seenBy('ann')).toEqual({ you: ann, controller: ann, others: [bob, guest], asking: [bob] })
  expect(seenBy('bob')).toMatchObject({ you: bob, controller: ann, asking: [] })
  expect(companyOf({ type: 'people', you: 'nobody', people: [ann] })).toBeNull()
})

test('control is given by its holder to a user who may have it', () => {
  expect(mayGiveTo(seenBy('ann'), bob)).toBe(true)
  expect(mayGiveTo(seenBy('ann'), guest)).toBe(false)
  expect(mayGiveTo(seenBy('bob'), guest)).toBe(false)
  expect(mayGiveTo(seenBy('bob'), ann)).toBe(false)
})

test('the session’s user may take control back from any other', () => {
  const people = [{ ...ann, hasControl: false }, { ...bob, hasControl: true }, guest]
  expect(mayGiveTo(seenBy('ann', people), people[0]!)).toBe(true)
  expect(mayGiveTo(seenBy('bob', people), people[0]!)).toBe(true)
  expect(mayGiveTo(seenBy('guest', people), people[0]!)).toBe(false)
})
