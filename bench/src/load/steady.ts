/** Looks at everything that a server could leave open until it stays as it is. */
import { pause } from '../client/channel.ts'
import type { Api } from '../harness/api.ts'
import type { World } from '../harness/world.ts'
import { type Counts, differences, engineCounts, serverCounts } from './counts.ts'

/** A hang-up takes up to 12 s, and a connection that is kept a minute more; beyond this what is left stays, in milliseconds. */
const SETTLE_MS = 120_000
/** Between two looks at what is left, in milliseconds. */
const LOOK_MS = 500
/** Counts that are the same for so many looks are the start. */
const STEADY_LOOKS = 4

/** Where to look. */
export interface Looked {
  readonly world: World
  readonly admin: Api
}

const allCounts = async ({ world, admin }: Looked): Promise<Counts> => ({
  ...(await serverCounts(world, admin)),
  ...(await engineCounts(world)),
})

/** What there is once nothing changes any more. */
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

/** Looks until it is as at the start, and gives the last look. */
export const countsAsBefore = async (looked: Looked, before: Counts): Promise<Counts> => {
  const deadline = Date.now() + SETTLE_MS
  for (;;) {
    const counts = await allCounts(looked)
    if (differences(before, counts).length === 0 || Date.now() > deadline) return counts
    await pause(LOOK_MS)
  }
}
