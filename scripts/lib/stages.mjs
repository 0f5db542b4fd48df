// The stages of `npm test`, each of which counts.
import { join } from 'node:path'
import { ensureFrontend } from './build.mjs'
import { runVisibly } from './commands.mjs'
import { ensureCompose } from './compose-program.mjs'
import { ensureNginx } from './nginx-program.mjs'
import { dependencyBin, inRoot, projectNode } from './paths.mjs'
import { ensurePostgresImage, ensureSlipwayImage } from './platform-images.mjs'
import { elapsed, say, step } from './steps.mjs'
import { FAILED, NOTHING, PASSED, readVitestReport, sum } from './tally.mjs'

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

/** Checks of which each keeps one core busy, and says nothing when all is well. */
const sideBySide = (checks) => ({
  title: checks.map(({ title }) => title).join(', '),
  run: async (context) =>
    sum(
      await Promise.all(
        checks.map(async ({ title, run }) => {
          const tally = await run(context)
          if (tally.failed > 0) say(`✗ ${title}`)
          return tally
        }),
      ),
    ),
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

const reportersTo = (report) => ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]

const suite = (name) => ({
  title: `tests of ${name}`,
  run: async ({ env, folder, signal }) => {
    const report = join(folder, `${name}.json`)
    const argv = [projectNode(), dependencyBin('vitest'), 'run', '--passWithNoTests', ...reportersTo(report)]
    const code = await runVisibly(argv, { cwd: inRoot(name), env, signal, timeoutMs: STAGE_WITHIN_MS })
    return readVitestReport(report, code)
  },
})

/**
 * An installation as people run it: docker-compose.yml, a reverse proxy, backups. What that takes is made here, so that
 * nobody waits for it who does not get as far.
 */
const deployment = {
  title: 'tests of the deployment',
  run: async ({ env, folder, signal }) => {
    try {
      const developerImage = env.SLIPWAY_TEST_IMAGE
      const compose = await step('Docker Compose', (announce) => ensureCompose({ announce }))
      await step('nginx', (announce) => ensureNginx({ announce }))
      const more = {
        SLIPWAY_TEST_COMPOSE: compose.join(' '),
        SLIPWAY_TEST_PLATFORM_IMAGE: await step('platform image', (announce) =>
          ensureSlipwayImage({ developerImage, announce }),
        ),
        SLIPWAY_TEST_POSTGRES_IMAGE: await step('PostgreSQL image', (announce) => ensurePostgresImage({ announce })),
      }
      const report = join(folder, 'deployment.json')
      const config = ['--config', 'vitest.deployment.config.ts']
      const argv = [projectNode(), dependencyBin('vitest'), 'run', ...config, ...reportersTo(report)]
      const options = { cwd: inRoot('e2e'), env: { ...env, ...more }, signal, timeoutMs: STAGE_WITHIN_MS }
      return readVitestReport(report, await runVisibly(argv, options))
    } catch (error) {
      say(error.message)
      return FAILED
    }
  },
}

/** Every stage in the order in which they run. */
export const stages = [
  sideBySide([
    simple('lint', () => ['npm', 'run', '--silent', 'lint']),
    simple('types', () => [dependencyBin('turbo'), 'run', 'typecheck', '--ui=stream', '--output-logs=errors-only']),
    simple('types of images', () => [projectNode(), dependencyBin('tsc'), '--noEmit', '--project', 'images']),
  ]),
  bundle,
  ...SUITES.map(suite),
  deployment,
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
