import { DEFAULT_NOTIFICATIONS, type NotificationPreferences } from '@slipway/protocol'
import { expect, it } from 'vitest'
import { SETTLE_MS } from '../bounds.ts'
import type { WaitingTerminal } from '../terminals.ts'
import { Planner } from './planner.ts'
import type { NewNotice } from './repository.ts'

const TERMINAL: WaitingTerminal = {
  ...{ userId: 'ann', agent: 'atlas', isSystem: false, needs: 'permission', times: 1 },
}

/** A planner with what it stores of terminals. */
const newPlanner = (wants: Partial<NotificationPreferences> = {}) => {
  const stored: (readonly NewNotice[])[] = []
  const needing = new Map<string, WaitingTerminal>()
  let now = 1_000_000
  const notifications = { ...DEFAULT_NOTIFICATIONS, mail: true, ...wants }
  const planner = new Planner({
    notices: {
      untold: () => Promise.resolve([]),
      store: () => Promise.resolve(true),
      storeOfTerminal: (_sessionId, notices) => Promise.resolve(void stored.push(notices)),
      countPending: () => Promise.resolve(0),
    },
    devices: { of: (userId: string) => Promise.resolve([{ id: `phone of ${userId}` }]) } as never,
    preferences: { get: () => Promise.resolve({ notifications }) } as never,
    terminals: { needing: () => needing },
    mail: true,
    newId: () => 'id',
    clock: { now: () => now },
  })
  const planAfter = async (ms: number): Promise<number> => {
    now += ms
    await planner.plan()
    return stored.length
  }
  return { stored, needing, planAfter }
}

it('a terminal that waits for a moment makes a message to each channel of its user, once for each wait', async () => {
  const { stored, needing, planAfter } = newPlanner()
  needing.set('session', TERMINAL)
  expect(await planAfter(0)).toBe(0)
  expect(await planAfter(SETTLE_MS - 1)).toBe(0)
  expect(await planAfter(1)).toBe(1)
  const about = { id: 'id', userId: 'ann', dialogId: null, sessionId: 'session' }
  expect(stored).toEqual([
    [
      { ...about, deviceId: 'phone of ann' },
      { ...about, deviceId: null },
    ],
  ])
  expect(await planAfter(SETTLE_MS)).toBe(1)
  // Its user has answered, and it waits again, between two looks.
  needing.set('session', { ...TERMINAL, times: 2 })
  expect(await planAfter(0)).toBe(1)
  expect(await planAfter(SETTLE_MS)).toBe(2)
})

it('a terminal that waits makes its message also if the clock was set back meanwhile', async () => {
  const { needing, planAfter } = newPlanner()
  needing.set('session', TERMINAL)
  expect(await planAfter(0)).toBe(0)
  expect(await planAfter(-900_000)).toBe(0)
  expect(await planAfter(SETTLE_MS)).toBe(1)
})

it('a terminal that goes on in time makes none, nor one whose user wants none of terminals', async () => {
  const { needing, planAfter } = newPlanner()
  needing.set('session', TERMINAL)
  await planAfter(0)
  needing.clear()
  expect(await planAfter(SETTLE_MS)).toBe(0)

  const off = newPlanner({ terminals: false })
  off.needing.set('session', TERMINAL)
  await off.planAfter(0)
  await off.planAfter(SETTLE_MS)
  expect(off.stored).toEqual([[]])
})
