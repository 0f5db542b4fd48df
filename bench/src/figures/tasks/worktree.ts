/** Measures the worktree of a task in a large repository, beside `git worktree add` in the same container. */
import type { CodingSession } from '@slipway/protocol'
import { until } from '@slipway/testing'
import type { Api } from '../../harness/api.ts'
import type { Cleanup } from '../../harness/cleanup.ts'
import { runInside } from '../../harness/engine.ts'
import { type Findings, milliseconds } from '../../harness/report.ts'
import { inTurns, median, pairedMedian, ROUNDS } from '../../harness/statistics.ts'
import { addProvider, installCli, taskBody } from '../../harness/tasks/team.ts'
import { World } from '../../harness/world.ts'

const AGENT = 'trees'
const FILES = 50_000
/** Files of one folder. */
const PER_FOLDER = 100
/** The most that a worktree may take, as a multiple of git's. */
const TARGET = 1.3
/** Longest time of a task and of the removal of its worktree, in milliseconds. */
const ENDED_WITHIN_MS = 120_000
const SESSIONS = '/coding-agents/sessions'

/** Small files with different contents, in folders, in one commit. */
const MAKE = `cd && mkdir big && cd big && git init -q && git config gc.auto 0
  python3 -c '
import os
for n in range(${FILES}):
    folder = f"src/part{n // ${PER_FOLDER}}"
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/file{n}.ts", "w") as file:
        file.write(f"export const value{n} = {n}\\n" * (1 + n % 40))
'
  git add -A && git -c user.name=Bench -c user.email=bench@bench.example commit -qm files && git gc -q`
/** Git alone. Its time is that of the command: starting the exec is no part of it. */
const ADD = `cd ~/big && started=$(date +%s%N) && git worktree add -q --detach ../plain && ended=$(date +%s%N) &&
  git worktree remove --force ../plain && echo $(((ended - started) / 1000))`

interface Started {
  readonly ms: number
  readonly session: CodingSession
}

const start = async (api: Api, worktree: 'always' | 'off'): Promise<Started> => {
  const started = performance.now()
  const session = await api.post<CodingSession>(SESSIONS, { ...taskBody(AGENT, { lines: 1 }), cwd: 'big', worktree })
  return { ms: performance.now() - started, session }
}

/** Until the task has ended and its worktree, which is as it was made, is gone: nothing works beside the next one. */
const settled = (api: Api, { session }: Started): Promise<unknown> =>
  until(
    'the end of the task and of its worktree',
    async () => {
      const { completedAt } = await api.get<CodingSession>(`${SESSIONS}/${session.id}`)
      return completedAt !== null && (await api.get<unknown[]>(`/agents/${AGENT}/worktrees`)).length === 0
    },
    ENDED_WITHIN_MS,
  )

export const worktree = async (cleanup: Cleanup): Promise<Findings> => {
  const world = await World.make(cleanup, 'w')
  const api = await world.signIn()
  await world.settled(api)
  const containerId = await world.addAgent(api, AGENT)
  await installCli(containerId)
  await addProvider(api)
  await runInside(containerId, ['bash', '-c', MAKE])

  const samples: Record<'with' | 'without' | 'git', number[]> = { with: [], without: [], git: [] }
  const ways = {
    with: async () => {
      const task = await start(api, 'always')
      await settled(api, task)
      return task.ms
    },
    without: async () => {
      const task = await start(api, 'off')
      await settled(api, task)
      return task.ms
    },
    git: async () => Number(await runInside(containerId, ['bash', '-c', ADD])) / 1000,
  }
  // The first round does not count. After it the objects are in memory.
  for (let round = -1; round < ROUNDS; round += 1)
    await inTurns(['with', 'without', 'git'] as const, round + 1, async (way) => {
      // The removal of the files before is still being written, and would slow down only the next one.
      await runInside(containerId, ['sync'])
      const value = await ways[way]()
      if (round >= 0) samples[way].push(value)
    })
  const ours = samples.with.map((ms, round) => ms - (samples.without[round] ?? Number.NaN))
  const ratio = pairedMedian(ours, samples.git, (our, their) => our / their)
  return {
    rows: [
      {
        figure: 'a worktree of 50,000 files for a task',
        median: milliseconds(median(ours), 0),
        limit: `${milliseconds(median(samples.git), 0)} git worktree add`,
        ratio: ratio.toFixed(2),
        target: `≤ ${TARGET}`,
        met: ratio <= TARGET,
      },
    ],
    raw: { unit: 'ms', ...samples },
  }
}
