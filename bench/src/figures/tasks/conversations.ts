/** Measures how soon a hundred conversations go on in the next backend, each with a message that waits, after the first was killed. */
import type { Conversation, Conversations } from '@slipway/protocol'
import { until } from '@slipway/testing'
import type { Api } from '../../harness/api.ts'
import type { Cleanup } from '../../harness/cleanup.ts'
import { type Findings, milliseconds } from '../../harness/report.ts'
import { median } from '../../harness/statistics.ts'
import { taskBody, TaskTeam } from '../../harness/tasks/team.ts'
import { World } from '../../harness/world.ts'

const CONVERSATIONS = 100
const AGENTS = 5
/** Each takes a whole start of the server, and two hundred CLIs. */
const ROUNDS = 3
const TARGET_MS = 10_000
/** Longest time of a round on a busy machine, in milliseconds. */
const ROUND_MS = 300_000
/** Room for the first turns of all, and for their next ones. */
const SERVER = { SLIPWAY_MAX_TASKS: '200', SLIPWAY_MAX_TASKS_PER_AGENT: '200' }

const all = async (admin: Api): Promise<readonly Conversation[]> =>
  (await admin.get<Conversations>(`/conversations?by=all&limit=${CONVERSATIONS}`)).items

/** Begins all, each with a first turn that waits for a file, and a message behind it. */
const begin = async (team: TaskTeam, gate: string): Promise<void> => {
  await team.asEach(async (api, agent) => {
    const first = taskBody(agent, { lines: 1, gate })
    const { id } = await api.post<Conversation>('/conversations', first)
    const next = (taskBody(agent, { lines: 1 }) as { readonly prompt: string }).prompt
    await api.post(`/conversations/${id}/messages`, { text: next })
  })
}

export const conversations = async (cleanup: Cleanup): Promise<Findings> => {
  const world = await World.make(cleanup, 'c', SERVER)
  const admin = await world.signIn()
  await world.settled(admin)
  const team = await TaskTeam.make(world, admin, { tasks: CONVERSATIONS, agents: AGENTS })
  const [start, begun, ended, execs]: [number[], number[], number[], number[]] = [[], [], [], []]
  for (let round = 0; round < ROUNDS; round += 1) {
    const gate = `/tmp/gate-${round}`
    await begin(team, gate)
    const now = await world.signIn()
    const run = async (): Promise<boolean> => (await all(now)).every(({ activity }) => activity === 'running')
    await until('the first turns', run, ROUND_MS)
    await world.kill()
    // Their CLIs end while no backend is there.
    await team.open(gate)
    const began = Date.now()
    await world.start()
    const listens = Date.now()
    const next = await world.signIn()
    const since = async (what: string, isThere: (one: Conversation) => boolean): Promise<number> => {
      await until(what, async () => (await all(next)).every(isThere), ROUND_MS)
      return Date.now() - listens
    }
    start.push(listens - began)
    begun.push(await since('the next turns', ({ turns, queued }) => turns === 2 && queued === 0))
    ended.push(await since('their ends', ({ activity }) => activity === 'idle'))
    const bare = Date.now()
    await team.inEachPlace(['python3', '-c', 'pass'])
    execs.push(Date.now() - bare)
    await team.asEach(async (api) => {
      const { items } = await api.get<Conversations>('/conversations?limit=100')
      for (const { id } of items) await api.patch(`/conversations/${id}`, { archived: true }).catch(() => undefined)
    })
  }
  return {
    rows: [
      {
        figure: `${CONVERSATIONS} conversations with a message each go on after a kill, from when the server listens`,
        median: milliseconds(median(begun), 0),
        limit: `${milliseconds(median(execs), 0)} ${CONVERSATIONS} programs at once, ${milliseconds(median(start), 0)} the server's start`,
        ratio: '-',
        target: `< ${TARGET_MS} ms`,
        met: median(begun) < TARGET_MS,
      },
      {
        figure: 'until the last of their turns has ended',
        median: milliseconds(median(ended), 0),
        ...{ limit: '', ratio: '-', target: '-', met: null },
      },
    ],
    raw: { unit: 'ms', start, begun, ended, execs },
  }
}
