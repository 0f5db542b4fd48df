import { expect, test } from 'vitest'
import { manages, rightsOnQueued } from './rights.ts'

test('the user of a conversation, the owner of the agent and admins manage it', () => {
  const theirs = { userId: 'ann' }
  expect(manages(theirs, 'ann', 'sharee')).toBe(true)
  expect(manages(theirs, 'ann', undefined)).toBe(true)
  expect((['owner', 'admin', 'sharee', undefined] as const).map((relation) => manages(theirs, 'me', relation))).toEqual(
    [true, true, false, false],
  )
})

test('the text of a message that waits is changed by its user, who moves and withdraws it as those who manage do', () => {
  expect(rightsOnQueued({ userId: 'me' }, 'me', false)).toEqual({ mayEdit: true, mayMove: true })
  expect(rightsOnQueued({ userId: 'ann' }, 'me', true)).toEqual({ mayEdit: false, mayMove: true })
  expect(rightsOnQueued({ userId: 'ann' }, 'me', false)).toEqual({ mayEdit: false, mayMove: false })
})
