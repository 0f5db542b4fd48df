/** Measures the server's part of a reload: the time to the whole screen, with a full scrollback in colours. */
import { SCROLLBACK_LINES } from '@slipway/emulator'
import { runInside } from '../harness/engine.ts'
import { type Findings, milliseconds, type Row } from '../harness/report.ts'
import { median, percentile } from '../harness/statistics.ts'
import type { Stage } from '../stage.ts'

const RELOADS = 60
const TARGET_MS = 150
const AGENT = 'repainted'
/** How long a session waits after its connection is lost, in seconds. */
const KEEP_SECONDS = 60
/** A file of lines of some width, each with three colours, as test runners and compilers print them. */
const FILE = '/home/developer/coloured.txt'
const LINES = `awk 'BEGIN { for (n = 0; n < ${SCROLLBACK_LINES + 100}; n++)
  printf "\\033[32m%05d\\033[m \\033[1;3%dmsrc/modules/terminal/session.ts\\033[m \\033[38;5;%dmand what it says of it, %d\\033[m\\n", n, n % 8, n % 256, n * n }' >${FILE}`

export const repaint = async ({ world, api, client }: Stage): Promise<Findings> => {
  const containerId = await world.addAgent(api, AGENT, { keepSeconds: KEEP_SECONDS })
  await runInside(containerId, ['sh', '-c', LINES])
  const target = { url: api.terminalUrl(AGENT), token: api.token, version: 2 } as const
  const samples = await client.call('repaint', target, `cat ${FILE}`, RELOADS)
  const times = samples.map(({ ms }) => ms)
  // Without a mirror a page would have to get all of the output again.
  const again = await client.call('transfer', target, FILE)
  const limit = `${milliseconds(again.seconds * 1000, 0)} the same output again`
  const row = (name: string, value: number, target: number | null): Row => ({
    figure: `repaint of ${SCROLLBACK_LINES.toLocaleString('en')} lines after a reload, ${name}`,
    median: milliseconds(value, 0),
    limit,
    ratio: (value / (again.seconds * 1000)).toFixed(2),
    target: target === null ? '-' : `< ${target} ms`,
    met: target === null ? null : value < target,
  })
  return {
    rows: [row('p50', median(times), null), row('p95', percentile(times, 0.95), TARGET_MS)],
    raw: { unit: 'ms', lines: SCROLLBACK_LINES, bytes: samples[0]?.bytes, rawBytes: again.bytes, times },
  }
}
