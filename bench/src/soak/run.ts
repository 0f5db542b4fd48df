/** One run: a warm-up, a count, a long time of use, and another count when everything has ended. */
import { pause } from '../client/channel.ts'
import type { Used } from '../client/soak.ts'
import type { TerminalTarget } from '../client/terminal.ts'
import type { Cleanup } from '../harness/cleanup.ts'
import { Client } from '../harness/client.ts'
import { addMember, type Member } from '../harness/member.ts'
import { residentBytes } from '../harness/raw.ts'
import { World } from '../harness/world.ts'
import { collectedMemory, INSPECTOR_FLAGS } from '../harness/heap.ts'
import type { Left } from '../load/report.ts'
import { countsAsBefore, type Looked, steadyCounts } from '../load/steady.ts'

export interface Plan {
  readonly agents: number
  /** Users, each of whom has a session with each agent. */
  readonly users: number
  readonly forMs: number
  /**
   * Warm-up with the same uses before the first count, in milliseconds. Code is compiled, and caches and pools fill.
   */
  readonly warmUpMs: number
}

export const FULL: Plan = { agents: 4, users: 50, forMs: 30 * 60_000, warmUpMs: 60_000 }
export const SHORT: Plan = { agents: 1, users: 8, forMs: 6_000, warmUpMs: 3_000 }

/** Time between two samples of the resident memory, in milliseconds. */
const SAMPLE_MS = 10_000
/** How long a failed run waits for the server's log, in milliseconds. */
const LAST_WORDS_MS = 2_000
/** How long a session waits after its connection is lost, in seconds. No client stays away so long. */
const KEEP_SECONDS = 60

export interface SoakRun extends Left {
  readonly used: Used
  /** Resident bytes of the server meanwhile. */
  readonly resident: readonly number[]
}

export const runSoak = async (cleanup: Cleanup, plan: Plan, say: (text: string) => void): Promise<SoakRun> => {
  const world = await World.make(cleanup, 's', {}, INSPECTOR_FLAGS)
  const admin = await world.signIn()
  await world.settled(admin)
  const targets = await makeTargets(world, plan)
  const client = new Client(cleanup)
  // An access token lasts a quarter of an hour. The later counts need a newer one.
  const looked = async (): Promise<Looked> => ({ world, admin: await world.signIn() })

  await client.call('soak', targets, plan.warmUpMs)
  const before = await steadyCounts(await looked())
  const memoryBefore = await collectedMemory(world.backend)
  say(`${targets.length} sessions for ${plan.forMs / 1000} s`)
  const resident: number[] = []
  const look = (): void => void residentBytes(world.backend.pid).then((bytes) => resident.push(bytes))
  const sampling = setInterval(look, SAMPLE_MS)
  const used = await client
    .call('soak', targets, plan.forMs)
    .catch(async (error: unknown) => {
      // The server's log of the failure may still be on the way.
      await pause(LAST_WORDS_MS)
      throw new Error(`after ${resident.length} looks; the server said last:\n${world.backend.lastOutput}`, {
        cause: error,
      })
    })
    .finally(() => clearInterval(sampling))
  say(`used: ${JSON.stringify(used)}`)
  const after = await countsAsBefore(await looked(), before)
  const memoryAfter = await collectedMemory(world.backend)
  return { before, after, memoryBefore, memoryAfter, used, resident }
}

const makeTargets = async (world: World, { agents, users }: Plan): Promise<TerminalTarget[]> => {
  const api = await world.signIn()
  const members: Member[] = []
  for (let index = 0; index < users; index++) members.push(await addMember(api, index))
  const names = Array.from({ length: agents }, (_, index) => `soaked-${index}`)
  for (const [index, name] of names.entries()) {
    // One agent's sessions are recorded.
    await world.addAgent(api, name, { keepSeconds: KEEP_SECONDS, record: index === 0 })
    for (const { email } of members) await api.post(`/agents/${name}/shares`, { email })
  }
  return names.flatMap((name) =>
    members.map(({ token }) => ({ url: api.terminalUrl(name), token, version: 2 as const })),
  )
}
