/** A large `cat` through the session that is held in its container, with and without its mirror and a recording, beside what Docker and the kernel can do. */
import { fileURLToPath } from 'node:url'
import type { HoldTarget } from '../client/hold.ts'
import type { Cleanup } from '../harness/cleanup.ts'
import { type Findings, megabytes, type Row } from '../harness/report.ts'
import { inTurns, median, pairedMedian, ROUNDS } from '../harness/statistics.ts'
import { World } from '../harness/world.ts'
import type { Stage } from '../stage.ts'
import { BYTES, FILE, makeFile, readInside } from './throughput.ts'

/** Of Docker's own TTY exec; 1.2 is the aim. */
const TARGET = 1
/** Of the same without a recording. */
const RECORDED_TARGET = 0.95
const RECORDED = 'recorded'
const WITHOUT_MIRRORS = fileURLToPath(new URL('../harness/without-mirrors.ts', import.meta.url))

export const held = async (
  { world, api, client, terminal, containerId }: Stage,
  cleanup: Cleanup,
): Promise<Findings> => {
  const bare = await World.make(cleanup, 'b', {}, ['--import', WITHOUT_MIRRORS])
  const bareApi = await bare.signIn()
  await bare.settled(bareApi)
  const bareId = await bare.addAgent(bareApi, 'bench')
  const withoutMirror = { url: bareApi.terminalUrl('bench'), token: bareApi.token, version: 2 } as const
  const recordedId = await world.addAgent(api, RECORDED, { record: true })
  const recorded = { ...terminal, url: api.terminalUrl(RECORDED) }
  for (const id of [containerId, bareId, recordedId]) await makeFile(id)

  const through = async (target: HoldTarget): Promise<number> =>
    BYTES / (await client.call('transfer', target, FILE)).seconds
  const rates = {
    pty: [] as number[],
    exec: [] as number[],
    held: [] as number[],
    bare: [] as number[],
    recorded: [] as number[],
  }
  const ways = [
    async () => void rates.pty.push(await readInside(containerId)),
    async () => void rates.exec.push(await through({ containerId })),
    async () => void rates.held.push(await through(terminal)),
    async () => void rates.bare.push(await through(withoutMirror)),
    async () => void rates.recorded.push(await through(recorded)),
  ]
  // One round that does not count: the file is in memory and the programs are compiled after it.
  for (let round = -1; round < ROUNDS; round++) {
    if (round === 0) for (const samples of Object.values(rates)) samples.length = 0
    await inTurns(ways, round + 1, (way) => way())
  }
  await bare.stop()
  const row = (figure: string, ours: number[], theirs: number[], name: string, target: number | null): Row => {
    const ratio = pairedMedian(ours, theirs, (our, their) => our / their)
    return {
      figure,
      median: megabytes(median(ours)),
      limit: `${megabytes(median(theirs))} ${name}`,
      ratio: ratio.toFixed(2),
      target: target === null ? '-' : `≥ ${target}`,
      met: target === null ? null : ratio >= target,
    }
  }
  return {
    rows: [
      row('cat of 64 MiB through the holder', rates.held, rates.exec, 'raw TTY exec', TARGET),
      row('cat of 64 MiB through the holder, without the mirror', rates.bare, rates.exec, 'raw TTY exec', TARGET),
      row('cat of 64 MiB through the holder', rates.held, rates.pty, 'PTY in the container', null),
      row('cat of 64 MiB through the holder, recorded', rates.recorded, rates.held, 'not recorded', RECORDED_TARGET),
    ],
    raw: { unit: 'bytes of the file per second', bytes: BYTES, ...rates },
  }
}
