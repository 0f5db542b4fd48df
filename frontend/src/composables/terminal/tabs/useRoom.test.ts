import type { Agent } from '@slipway/protocol'
import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, expect, test } from 'vitest'
import { createApp, ref } from 'vue'
import { useRoom, type Room } from './useRoom.ts'

beforeEach(() => setActivePinia(createPinia()))

/** The room of a user who has `count` terminals in an agent. */
function roomOf(of: Partial<Agent>, count = 1): Room {
  const agent = {
    name: 'harbour',
    isSystem: false,
    relation: 'owner',
    owner: null,
    terminalsPerUser: 1,
    ...of,
  } as Agent
  return createApp({}).runWithContext(
    () =>
      useRoom(
        () => agent,
        () => ref(count).value,
      ).room.value,
  )
}
const owner = { id: '1', email: 'ann@example.org' }

test('there is room up to the number that the agent allows', () => {
  expect([1, 2, 3].map((count) => roomOf({ terminalsPerUser: 3 }, count).isFree)).toEqual([true, true, false])
})

test.each(['owner', 'admin'] as const)('the %s may allow one more, and is told that it is for everyone', (relation) => {
  expect(roomOf({ relation, owner })).toEqual({
    ...{ isFree: false, mayRaise: true },
    note: 'This agent allows each person one terminal. If you open it beside this one, the agent allows 2 from now on.',
  })
})

test('a user whom the agent is shared with is told who may', () => {
  expect(roomOf({ relation: 'sharee', owner, terminalsPerUser: 2 }, 2)).toEqual({
    ...{ isFree: false, mayRaise: false },
    note: 'This agent allows each person 2 terminals. ann@example.org or an admin can allow more in its settings.',
  })
})

test('no user may allow more than eight', () => {
  expect(roomOf({ terminalsPerUser: 8 }, 8)).toMatchObject({ isFree: false, mayRaise: false })
})
