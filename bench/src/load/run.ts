/**
 * One run: a quiet server, a busy one, a time in which things are opened and closed, and what is left when all users
 * are gone.
 */
import type { Churned } from '../client/churn.ts'
import type { Api } from '../harness/api.ts'
import type { Cleanup } from '../harness/cleanup.ts'
import { Client } from '../harness/client.ts'
import { residentBytes } from '../harness/raw.ts'
import { World } from '../harness/world.ts'
import { collectedMemory, INSPECTOR_FLAGS } from '../harness/heap.ts'
import { measureLatency } from './latency.ts'
import { makePeople, type People } from './people.ts'
import type { Plan } from './plan.ts'
import type { LoadRun } from './report.ts'
import { countsAsBefore, steadyCounts } from './steady.ts'

/** Time between two samples of the resident memory, in milliseconds. */
const SAMPLE_MS = 10_000
/** Warm-up before the first count, in milliseconds. Code is compiled and caches fill. */
const WARM_UP_MS = 5_000

export interface FullRun extends LoadRun {
  readonly churned: Churned
  /** Resident bytes of the server while things were opened and closed. */
  readonly resident: readonly number[]
}

interface Stage {
  readonly world: World
  readonly admin: Api
  readonly people: People
  readonly crowd: Client
  readonly say: (text: string) => void
}

const churnFor = async ({ admin, people, crowd, world }: Stage, forMs: number) => {
  const { people: persons, pages, passing: terminals } = people
  const resident: number[] = []
  const sampling = setInterval(() => {
    void residentBytes(world.backend.pid).then((bytes) => resident.push(bytes))
  }, SAMPLE_MS)
  const targets = { base: admin.base, people: persons, pages: pages.slice(0, persons.length), terminals }
  const churned = await crowd.call('churn', targets, forMs)
  clearInterval(sampling)
  return { churned, resident }
}

export const runLoad = async (cleanup: Cleanup, plan: Plan, say: (text: string) => void): Promise<FullRun> => {
  const world = await World.make(cleanup, 'l', {}, INSPECTOR_FLAGS)
  const admin = await world.signIn()
  await world.settled(admin)
  const people = await makePeople(world, admin, plan)
  const { terminals, pages } = people
  say(`${plan.users} users, ${terminals.length} agents`)
  const [crowd, probe] = [new Client(cleanup), new Client(cleanup)]
  // An access token lasts a quarter of an hour. The later counts need a newer one.
  const stage = async (): Promise<Stage> => ({ world, admin: await world.signIn(), people, crowd, say })

  await churnFor(await stage(), WARM_UP_MS)
  const idle = await measureLatency(probe, people, admin.base, plan)
  say('measured the idle server')
  const before = await steadyCounts(await stage())
  const memoryBefore = await collectedMemory(world.backend)

  await crowd.call('listen', pages)
  await crowd.call('hold', terminals)
  await crowd.call('startTyping', plan.keysPerSecond)
  say(`${pages.length} pages listen, ${terminals.length} terminals are open`)
  const loaded = await measureLatency(probe, people, admin.base, plan)
  say('measured the busy server')
  const { churned, resident } = await churnFor(await stage(), plan.churnMs)
  say(`things came and went: ${JSON.stringify(churned)}`)

  await crowd.call('stopTyping')
  await crowd.call('release')
  await crowd.call('leave')
  const after = await countsAsBefore(await stage(), before)
  const memoryAfter = await collectedMemory(world.backend)
  return { idle, loaded, before, after, memoryBefore, memoryAfter, churned, resident }
}
