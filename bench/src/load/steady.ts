/** Counts everything that a server could leave open, until the counts do not change any more. */
import { pause } from '../client/channel.ts'
import type { Api } from '../harness/api.ts'
import type { World } from '../harness/world.ts'
import { type Counts, differences, engineCounts, serverCounts } from './counts.ts'

/**
 * Longest wait, in milliseconds. A hang-up takes up to 12 s, and a kept connection a minute more. What is left after
 * that has leaked.
 */
const SETTLE_MS = 120_000
/** Time between two counts, in milliseconds. */
const LOOK_MS = 500
/** If so many counts in a row are the same, they are the start. */
const STEADY_LOOKS = 4

/** What is counted. */
export interface Looked {
  readonly world: World
  readonly admin: Api
}

const allCounts = async ({ world, admin }: Looked): Promise<Counts> => ({
  ...(await serverCounts(world, admin)),
  ...(await engineCounts(world)),
})

/** The counts once they do not change any more. */
export const steadyCounts = async (looked: Looked): Promise<Counts> => {
  const deadline = Date.now() + SETTLE_MS
  let [last, looks] = [await allCounts(looked), 0]
  while (looks < STEADY_LOOKS && Date.now() < deadline) {
    await pause(LOOK_MS)
    const next = await allCounts(looked)
    looks = differences(last, next).length === 0 ? looks + 1 : 0
    last = next
  }
  return last
}

/** Counts until everything is as at the start. Answers the last counts. */
export const countsAsBefore = async (looked: Looked, before: Counts): Promise<Counts> => {
  const deadline = Date.now() + SETTLE_MS
  for (;;) {
    const counts = await allCounts(looked)
    if (differences(before, counts).length === 0 || Date.now() > deadline) return counts
    await pause(LOOK_MS)
  }
}
