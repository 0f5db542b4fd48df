import { expect, it } from 'vitest'
import { freeUid, UID_FIRST, UID_LAST } from './free.ts'

const NAMESPACES = ['slipway', 'second', 'a', 'slipway-test']

it('begins elsewhere for each installation', () => {
  const first = NAMESPACES.map((namespace) => freeUid(namespace, new Set()))
  expect(new Set(first).size).toBe(NAMESPACES.length)
})

it('gives each user id of the range once, and then none', () => {
  const taken = new Set<number>()
  for (let uid = freeUid('slipway', taken); uid !== null; uid = freeUid('slipway', taken)) taken.add(uid)
  expect(taken.size).toBe(UID_LAST - UID_FIRST + 1)
  expect([Math.min(...taken), Math.max(...taken)]).toEqual([UID_FIRST, UID_LAST])
})

it('gives the id of an agent that is gone again', () => {
  const taken = new Set<number>()
  for (let count = 0; count < 5; count++) taken.add(freeUid('slipway', taken) ?? 0)
  const gone = [...taken][2] ?? 0
  taken.delete(gone)
  expect(freeUid('slipway', taken)).toBe(gone)
})
