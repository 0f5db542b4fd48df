// The stages of `npm test`, each of which counts.
import { join } from 'node:path'
import { ensureFrontend } from './build.mjs'
import { runVisibly } from './commands.mjs'
import { dependencyBin, inRoot, projectNode } from './paths.mjs'
import { elapsed, say } from './steps.mjs'
import { FAILED, NOTHING, PASSED, readVitestReport } from './tally.mjs'

/** A stage that takes longer hangs; the whole run has to end within CI's hour and a half. */
const STAGE_WITHIN_MS = 40 * 60_000

/** Turbo runs the packages' scripts, asks nobody anything and reports to nobody. */
const TURBO = { TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1', TURBO_NO_UPDATE_NOTIFIER: '1' }

/** Folders with tests, from the fast and narrow to the slow and wide. */
const SUITES = ['protocol', 'scripts', 'frontend', 'backend', 'images', 'e2e']

/**
 * @typedef {{env: NodeJS.ProcessEnv, folder: string, signal: AbortSignal}} Run what every stage is given; `folder` is
 *   for its files
 */

/** A program whose exit code says everything. What it runs on is looked up late: it may just have been installed. */
const simple = (title, argv) => ({
  title,
  run: async ({ env, signal }) => {
    const code = await runVisibly(argv(), { env, signal, timeoutMs: STAGE_WITHIN_MS })
    return code === 0 ? PASSED : FAILED
  },
})

/** The end-to-end tests look at the bundle, so it is made here; that it can be made is a check of its own. */
const bundle = {
  title: 'front end',
  run: async () => {
    try {
      await ensureFrontend({ announce: () => {} })
      return PASSED
    } catch (error) {
      say(error.message)
      return FAILED
    }
  },
}

const suite = (name) => ({
  title: `tests of ${name}`,
  run: async ({ env, folder, signal }) => {
    const report = join(folder, `${name}.json`)
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
    const argv = [projectNode(), dependencyBin('vitest'), 'run', '--passWithNoTests', ...reporters]
    const code = await runVisibly(argv, { cwd: inRoot(name), env, signal, timeoutMs: STAGE_WITHIN_MS })
    return readVitestReport(report, code)
  },
})

/** Every stage in the order in which they run. */
export const stages = [
  simple('lint', () => ['npm', 'run', '--silent', 'lint']),
  simple('types', () => [dependencyBin('turbo'), 'run', 'typecheck', '--ui=stream', '--output-logs=errors-only']),
  simple('types of images', () => [projectNode(), dependencyBin('tsc'), '--noEmit', '--project', 'images']),
  bundle,
  ...SUITES.map(suite),
]

/**
 * Runs one stage under a heading.
 *
 * @param {{title: string, run: (run: Run) => Promise<import('./tally.mjs').Tally>}} stage
 * @param {Run} run once its signal is aborted no stage starts any more
 */
export const runStage = async ({ title, run }, context) => {
  if (context.signal.aborted) return NOTHING
  say(`\n── ${title}`)
  const started = performance.now()
  const tally = await run({ ...context, env: { ...context.env, ...TURBO } })
  say(`${tally.failed === 0 ? '✓' : '✗'} ${title} (${elapsed(performance.now() - started)})`)
  return tally
}
