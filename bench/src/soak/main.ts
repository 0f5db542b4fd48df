/**
 * `npm run soak`: two hundred sessions for half an hour, idle, typed into, flooded, lost and come back to, taken over and resized;
 * prints what is left of them, which has to be nothing, and keeps the raw numbers. `--short` is less than a minute of it, `--minutes N`
 * another time; with `--json` what was found is printed for a program, and kept nowhere.
 */
import { inspect, parseArgs } from 'node:util'
import { Cleanup } from '../harness/cleanup.ts'
import { describeMachine, keepRaw } from '../harness/raw.ts'
import { printTable } from '../harness/report.ts'
import { rowsOfLeft } from '../load/report.ts'
import { FULL, runSoak, SHORT } from './run.ts'

const MINUTE_MS = 60_000

const { values } = parseArgs({
  options: { short: { type: 'boolean' }, json: { type: 'boolean' }, minutes: { type: 'string' } },
})
const say = (text: string): void => void (values.json ? process.stderr : process.stdout).write(`${text}\n`)
const cleanup = new Cleanup()
const interruption = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    interruption.abort()
    void cleanup.run().then(() => process.exit(130))
  })

try {
  const chosen = values.short ? SHORT : FULL
  const plan = values.minutes === undefined ? chosen : { ...chosen, forMs: Number(values.minutes) * MINUTE_MS }
  const machine = await describeMachine()
  const run = await runSoak(cleanup, plan, say)
  const rows = rowsOfLeft(run)
  if (values.json) process.stdout.write(`${JSON.stringify({ plan, rows, ...run })}\n`)
  else {
    say(`\n${printTable(rows)}\n`)
    say(`Raw numbers: ${await keepRaw({ machine, plan, rows, raw: run }, 'soak-')}`)
  }
} catch (error) {
  if (!interruption.signal.aborted) process.stderr.write(`soak: ${inspect(error)}\n`)
  process.exitCode = 1
} finally {
  await cleanup.run()
}
