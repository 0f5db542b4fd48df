// `npm test` runs every check. With `-- <suites or paths>` or `-- --changed [commit]` it runs only those.
// `npm run test:long` runs what takes long. The last line says how many passed.
import { withNamespace } from './lib/namespace.mjs'
import { runMain, say } from './lib/steps.mjs'
import { tellCosts } from './lib/test/report/costs.mjs'
import { needsOf, runChosen } from './lib/test/run.mjs'
import { formOf, select } from './lib/test/selection.mjs'
import { failure, format, sum, tellFailures } from './lib/test/report/tally.mjs'

/** The exit code of a program that Ctrl+C ended. */
const INTERRUPTED = 130

const interruption = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => interruption.abort())

/** Prints the failures again and the last line, and answers the exit code. A run without any test is a failure. */
const conclude = (total) => {
  process.stdout.write(tellFailures(total))
  process.stdout.write(`${format(total)}\n`)
  return total.failed === 0 && total.passed > 0 ? 0 : 1
}

await runMain(async () => {
  let chosen
  try {
    chosen = await select(process.argv.slice(2))
  } catch (error) {
    return conclude(failure(error.message))
  }

  const form = formOf(process.argv.slice(2))
  const usesEngine = needsOf(chosen).includes('engine')
  const { result, leftovers } = await withNamespace(
    'test',
    (run) => runChosen(chosen, { ...run, env: { ...run.env, ...form }, signal: interruption.signal }),
    { usesEngine },
  )

  if (interruption.signal.aborted) {
    say('✗ interrupted')
    return INTERRUPTED
  }
  const left = leftovers.length > 0 ? [failure(`the tests left behind, now removed: ${leftovers.join(', ')}`)] : []
  const { tallies, costs } = result
  if (costs.suites.length > 1) process.stdout.write(tellCosts(costs.suites, costs.files))
  return conclude(sum([...tallies, ...left]))
})
