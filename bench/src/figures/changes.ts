/** Measures the status of a large repository, as a page asks for it, beside `git status` in the same container. */
import type { GitStatus } from '@slipway/protocol'
import type { Cleanup } from '../harness/cleanup.ts'
import { runInside } from '../harness/engine.ts'
import { type Findings, milliseconds } from '../harness/report.ts'
import { inTurns, median, pairedMedian, ROUNDS } from '../harness/statistics.ts'
import { World } from '../harness/world.ts'

const AGENT = 'changes'
const FILES = 100_000
/** Files of one folder. */
const PER_FOLDER = 100
/** Files that differ from the commit. */
const CHANGED = 50
/** The most that a status may take, as a multiple of git's. */
const TARGET = 1.3

/** Small files in one commit. Then some of them change, and some are new. */
const MAKE = `cd && mkdir big && cd big && git init -q
  python3 -c '
import os
for n in range(${FILES}):
    folder = f"src/part{n // ${PER_FOLDER}}"
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/file{n}.ts", "w") as file:
        file.write(f"export const value{n} = {n}\\n")
'
  git add -A && git -c user.name=Bench -c user.email=bench@bench.example commit -qm files && git gc -q && git status >/dev/null
  for n in $(seq ${CHANGED}); do echo changed >>src/part$n/file$((n * ${PER_FOLDER})).ts; echo new >src/part$n/new.ts; done`
const STATUS = [
  'git',
  '-C',
  '/home/developer/big',
  'status',
  '--porcelain=v2',
  '-z',
  '--branch',
  '--untracked-files=all',
]

export const changes = async (cleanup: Cleanup): Promise<Findings> => {
  const world = await World.make(cleanup, 'g')
  const api = await world.signIn()
  await world.settled(api)
  const containerId = await world.addAgent(api, AGENT)
  await runInside(containerId, ['bash', '-c', MAKE])

  const samples: Record<'page' | 'git', number[]> = { page: [], git: [] }
  const ways = {
    page: async () => {
      const { files } = await api.get<GitStatus>(`/agents/${AGENT}/git/status?repository=big`)
      if (files.length !== 2 * CHANGED) throw new Error(`${files.length} files have changed, not ${2 * CHANGED}`)
    },
    git: async () => void (await runInside(containerId, STATUS)),
  }
  // The first round does not count. After it the files are in memory.
  for (let round = -1; round < ROUNDS; round += 1)
    await inTurns(['page', 'git'] as const, round + 1, async (way) => {
      const started = performance.now()
      await ways[way]()
      if (round >= 0) samples[way].push(performance.now() - started)
    })
  const ratio = pairedMedian(samples.page, samples.git, (our, their) => our / their)
  return {
    rows: [
      {
        figure: 'the status of a repository of 100,000 files',
        median: milliseconds(median(samples.page), 0),
        limit: `${milliseconds(median(samples.git), 0)} git status`,
        ratio: ratio.toFixed(2),
        target: `≤ ${TARGET}`,
        met: ratio <= TARGET,
      },
    ],
    raw: { unit: 'ms', ...samples },
  }
}
