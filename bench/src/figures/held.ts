/**
 * Measures a large `cat` through a held session, with and without its mirror and a recording, beside Docker and the
 * kernel.
 */
import { fileURLToPath } from 'node:url'
import type { HoldTarget } from '../client/hold.ts'
import type { Cleanup } from '../harness/cleanup.ts'
import { measureRates, rateRow } from '../harness/rates.ts'
import type { Findings } from '../harness/report.ts'
import { World } from '../harness/world.ts'
import type { Stage } from '../stage.ts'
import { BYTES, FILE, makeFile, readInside } from './throughput.ts'

/** Least rate, as a multiple of Docker's own TTY exec. The aim is 1.2. */
const TARGET = 1
/** Least rate with a recording, as a multiple of the rate without. */
const RECORDED_TARGET = 0.95
const RECORDED = 'recorded'
/**
 * Single rounds of the same way differ by a fifth. Five of them cannot show a difference of five per cent, and
 * twenty-five hardly can.
 */
const RECORDED_ROUNDS = 50
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
  const [expected = 0] = await Promise.all([containerId, bareId, recordedId].map(makeFile))

  const through = async (target: HoldTarget): Promise<number> => {
    const { seconds, bytes } = await client.call('transfer', target, FILE)
    // If the server skipped output for a client, the rate does not count.
    if (bytes !== expected) throw new Error(`${bytes} bytes came instead of ${expected}`)
    return BYTES / seconds
  }
  const rates = await measureRates({
    pty: () => readInside(containerId),
    exec: () => through({ containerId }),
    held: () => through(terminal),
    bare: () => through(withoutMirror),
  })
  await bare.stop()
  const pair = await measureRates(
    { unrecorded: () => through(terminal), recorded: () => through(recorded) },
    RECORDED_ROUNDS,
  )
  const exec = { theirs: rates.exec, limit: 'raw TTY exec', target: TARGET }
  const unrecorded = { theirs: pair.unrecorded, limit: 'not recorded', target: RECORDED_TARGET }
  return {
    rows: [
      rateRow('cat of 64 MiB through the holder', rates.held, exec),
      rateRow('cat of 64 MiB through the holder, without the mirror', rates.bare, exec),
      rateRow('cat of 64 MiB through the holder', rates.held, { theirs: rates.pty, limit: 'PTY in the container' }),
      rateRow('cat of 64 MiB through the holder, recorded', pair.recorded, unrecorded),
    ],
    raw: { unit: 'bytes of the file per second', bytes: BYTES, ...rates, ...pair },
  }
}
