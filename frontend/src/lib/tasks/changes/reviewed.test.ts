import type { ChangedFile } from '@slipway/protocol'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { acceptedBy, forgetAccepted, keepAccepted, MARKS_MAX, marksOf } from './reviewed.ts'

let items = new Map<string, string>()
beforeEach(() => {
  items = new Map()
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
    removeItem: (name: string) => void items.delete(name),
  })
})
afterEach(() => {
  forgetAccepted()
  vi.unstubAllGlobals()
})

const file = (patch: string | null, size = 1): ChangedFile => ({
  ...{ path: 'a', oldPath: null, status: 'modified', insertions: 1, deletions: 1, binary: false, size },
  ...{ tooLarge: false, patch },
})
const marks = (patch: string | null, size?: number, place = 'agent') => marksOf(place, file(patch, size))

it('a hunk keeps its mark where it moves, and has another once it is another or elsewhere', () => {
  const [one, two] = marks('@@ -1 +1 @@\n-a\n+b\n@@ -9 +9 @@\n-c\n+d\n')
  expect(one).not.toBe(two)
  expect(marks('@@ -9 +8 @@\n-c\n+d\n')).toEqual([two])
  for (const other of [marks('@@ -9 +9 @@\n-c\n+e\n'), marks('@@ -9 +9 @@\n-c\n+d\n', 1, 'other')])
    expect(other).not.toEqual([two])
  expect(marks(null)).not.toEqual(marks(null, 2))
})

it('what a user has accepted is kept up to a number, for this user alone, until the user signs out', () => {
  const many = Array.from({ length: MARKS_MAX + 1 }, (_, at) => `${at}`)
  keepAccepted('u', many)
  expect(acceptedBy('u')).toEqual(many.slice(1))
  expect(acceptedBy('v')).toEqual([])
  items.set('slipway-reviewed', '{"userId":"v","marks":[1,"a"]}')
  expect(acceptedBy('v')).toEqual(['a'])
  items.set('slipway-reviewed', '{')
  expect(acceptedBy('v')).toEqual([])
  forgetAccepted()
  expect(acceptedBy('u')).toEqual([])
})
