/**
 * Fifty terminals stream a megabyte a second each. Measures what each of them gets, and what a gigabyte costs the
 * server.
 */
import type { Cleanup } from '../harness/cleanup.ts'
import { Client } from '../harness/client.ts'
import { addMember } from '../harness/member.ts'
import { processorSeconds, residentBytes } from '../harness/raw.ts'
import { type Findings, kilobytes } from '../harness/report.ts'
import { median } from '../harness/statistics.ts'
import { World } from '../harness/world.ts'

const TERMINALS = 50
const BYTES_PER_SECOND = 1_000_000
const FOR_MS = 20_000
/** The least that each terminal must get, as a part of an equal share of the total. */
const TARGET = 0.8
const AGENT = 'streaming'
/** Prints a number of lines each 20 ms. After a delay it does not catch up. */
const STREAM = `exec python3 -c 'import base64,os,sys,time
data = b"\\n".join(base64.b64encode(os.urandom(57)) for _ in range(${Math.round(BYTES_PER_SECOND / 50 / 78)})) + b"\\n"
while True:
  started = time.monotonic()
  sys.stdout.buffer.write(data); sys.stdout.buffer.flush()
  time.sleep(max(0, 0.02 - (time.monotonic() - started)))'`

export const fair = async (cleanup: Cleanup): Promise<Findings> => {
  const world = await World.make(cleanup, 'f')
  const api = await world.signIn()
  await world.settled(api)
  await world.addAgent(api, AGENT)
  const members = await Promise.all(Array.from({ length: TERMINALS }, (_, index) => addMember(api, index)))
  for (const { email } of members) await api.post(`/agents/${AGENT}/shares`, { email })
  const targets = members.map(({ token }) => ({ url: api.terminalUrl(AGENT), token, version: 2 as const }))
  const client = new Client(cleanup)
  const { pid } = world.backend

  const idleBytes = await residentBytes(pid)
  await client.call('startStreams', targets, STREAM)
  const before = await processorSeconds(pid)
  const { seconds, bytes } = await client.call('countStreams', FOR_MS)
  const used = (await processorSeconds(pid)) - before
  const busyBytes = await residentBytes(pid)
  await client.call('stopStreams')
  await world.stop()

  const total = bytes.reduce((sum, one) => sum + one, 0)
  const share = total / TERMINALS
  const least = Math.min(...bytes)
  const rate = (count: number): string => `${(count / seconds / 1e6).toFixed(2)} MB/s`
  return {
    rows: [
      {
        figure: `the least that one of ${TERMINALS} streaming terminals gets`,
        median: rate(least),
        limit: `${rate(share)} fair share of ${rate(total)}`,
        ratio: (least / share).toFixed(2),
        target: `≥ ${TARGET}`,
        met: least / share >= TARGET,
      },
      {
        figure: 'processor time of the backend for a gigabyte',
        median: `${(used / (total / 1e9)).toFixed(1)} s`,
        limit: '',
        ratio: '-',
        target: '-',
        met: null,
      },
      {
        figure: `backend memory for each of ${TERMINALS} busy sessions`,
        median: kilobytes((busyBytes - idleBytes) / TERMINALS),
        limit: '',
        ratio: '-',
        target: '-',
        met: null,
      },
    ],
    raw: { seconds, bytes, medianBytes: median(bytes), processorSeconds: used, idleBytes, busyBytes },
  }
}
