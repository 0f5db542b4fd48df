/**
 * `npm run load`: fifty users, two hundred agents and terminals and a thousand listening pages on one server, for a
 * quarter of an hour. It prints a table and stores the raw numbers. A missed target is printed, and is not a failure.
 * `--short` takes a minute, `--minutes N` another time. With `--json` it prints the findings for a program, and stores
 * nothing.
 */
import { parseArgs } from 'node:util'
import { inspect } from 'node:util'
import { Cleanup } from '../harness/cleanup.ts'
import { describeMachine, keepRaw } from '../harness/raw.ts'
import { printTable } from '../harness/report.ts'
import { FULL, SHORT } from './plan.ts'
import { rowsOf } from './report.ts'
import { runLoad } from './run.ts'

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
  const plan = values.minutes === undefined ? chosen : { ...chosen, churnMs: Number(values.minutes) * MINUTE_MS }
  const machine = await describeMachine()
  const run = await runLoad(cleanup, plan, say)
  const rows = rowsOf(run)
  if (values.json) process.stdout.write(`${JSON.stringify({ plan, rows, ...run })}\n`)
  else {
    say(`\n${printTable(rows)}\n`)
    say(`Raw numbers: ${await keepRaw({ machine, plan, rows, raw: run }, 'load-')}`)
  }
} catch (error) {
  if (!interruption.signal.aborted) process.stderr.write(`load: ${inspect(error)}\n`)
  process.exitCode = 1
} finally {
  await cleanup.run()
}
