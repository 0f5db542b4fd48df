import { afterEach, expect, it, vi } from 'vitest'
import { forgetQuoted, keepQuoted, quotedOf } from './quoted.ts'

afterEach(forgetQuoted)

const stub = (stored: unknown) =>
  vi.stubGlobal('localStorage', {
    getItem: () => JSON.stringify(stored),
    setItem: () => undefined,
    removeItem: () => undefined,
  })

it('the comments that a message quotes are known until the user signs out, and to this user alone', () => {
  const quoted = [{ taskId: 'task', ids: ['1', '2'] }]
  keepQuoted('u', 'c', quoted)
  expect([quotedOf('u', 'c'), quotedOf('u', 'other'), quotedOf('v', 'c')]).toEqual([quoted, [], []])
  forgetQuoted()
  expect(quotedOf('u', 'c')).toEqual([])
})

it('what another version of the page has stored is read as far as it is known', () => {
  const known = { taskId: 'task', ids: ['1', 2] }
  stub({ userId: 'u', conversations: [['c', [known, { ids: ['3'] }, null]], ['d', 'none'], 'nothing'] })
  expect([quotedOf('u', 'c'), quotedOf('u', 'd')]).toEqual([[{ taskId: 'task', ids: ['1'] }], []])
})
