/**
 * `npm run soak`: two hundred sessions for half an hour. They are idle, typed into, flooded, lost and resumed, taken
 * over and resized. It prints what is left of them, which must be nothing, and stores the raw numbers. `--short` takes
 * less than a minute, `--minutes N` another time. With `--json` it prints the findings for a program, and stores
 * nothing.
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
