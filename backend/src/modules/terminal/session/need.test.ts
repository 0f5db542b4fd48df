import { expect, it } from 'vitest'
import { Need } from './need.ts'

it('a terminal needs its user until a key is pressed, and a report of the focus is no key', () => {
  const told: (string | null)[] = []
  const need: Need = new Need(() => void told.push(need.what))
  need.typed(Buffer.from('x'))
  need.set('permission')
  need.set('permission')
  need.typed(Buffer.from('\u001b[I'))
  need.typed(Buffer.from('\u001b[O'))
  expect(told).toEqual(['permission'])
  need.typed(Buffer.from('\u001b[A'))
  expect(told).toEqual(['permission', null])
})
