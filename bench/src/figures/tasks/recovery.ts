/** Measures how soon fifty tasks go on in the next backend after the first was killed. */
import type { Cleanup } from '../../harness/cleanup.ts'
import { Client } from '../../harness/client.ts'
import { type Findings, milliseconds } from '../../harness/report.ts'
import { median } from '../../harness/statistics.ts'
import { MANY_TASKS, type Order, TaskTeam } from '../../harness/tasks/team.ts'
import { World } from '../../harness/world.ts'

const TASKS = 50
const AGENTS = 5
/** Each takes a whole start of the server. */
const ROUNDS = 3
/** As long as a task may take, because a round on a busy machine takes half a minute. */
const ORDER: Order = { lines: 17_000, everyMs: 100 }
const TARGET_MS = 5_000

export const recovery = async (cleanup: Cleanup): Promise<Findings> => {
  const world = await World.make(cleanup, 'r', MANY_TASKS)
  const admin = await world.signIn()
  await world.settled(admin)
  const team = await TaskTeam.make(world, admin, { tasks: TASKS, agents: AGENTS })
  const client = new Client(cleanup)
  const started = await team.start(ORDER)
  await client.call('follow', team.targets(started))
  const [start, recovered, execs]: [number[], number[], number[]] = [[], [], []]
  for (let round = 0; round < ROUNDS; round += 1) {
    await client.call('followedSince', Date.now())
    await world.kill()
    await client.call('unfollow')
    const began = Date.now()
    await world.start()
    const listens = Date.now()
    await client.call('follow', team.targets(started))
    const all = await client.call('followedSince', listens)
    const bare = Date.now()
    await team.inEachPlace(['true'])
    execs.push(Date.now() - bare)
    start.push(listens - began)
    recovered.push(all - listens)
  }
  return {
    rows: [
      {
        figure: `${TASKS} tasks go on after a kill, from when the server listens`,
        median: milliseconds(median(recovered), 0),
        limit: `${milliseconds(median(execs), 0)} ${TASKS} execs at once, ${milliseconds(median(start), 0)} the server's start`,
        ratio: '-',
        target: `< ${TARGET_MS} ms`,
        met: median(recovered) < TARGET_MS,
      },
    ],
    raw: { unit: 'ms', start, recovered, execs },
  }
}
