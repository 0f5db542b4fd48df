/** One run: warm, counted, used for a long time, and counted again when everything has ended. */
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
  /** Each has a session with each agent. */
  readonly users: number
  readonly forMs: number
  /** The same before what is there is counted, in milliseconds: code is compiled, caches and pools fill. */
  readonly warmUpMs: number
}

export const FULL: Plan = { agents: 4, users: 50, forMs: 30 * 60_000, warmUpMs: 60_000 }
export const SHORT: Plan = { agents: 2, users: 8, forMs: 12_000, warmUpMs: 6_000 }

/** Between two looks at the resident memory, in milliseconds. */
const SAMPLE_MS = 10_000
/** How long is waited for what the server says of a failure, in milliseconds. */
const LAST_WORDS_MS = 2_000
/** What was lost is waited for longer than any of them stays away, in seconds. */
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
  // An access token lasts a quarter of an hour; what counts afterwards needs a newer one.
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
      // What it says of that may still be on its way.
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
