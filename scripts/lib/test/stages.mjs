// The stages of `npm test`, each of which counts.
import { join } from 'node:path'
import { ensureFrontend } from '../set-up/build.mjs'
import { runVisibly } from '../commands.mjs'
import { ensureCompose } from '../set-up/compose-program.mjs'
import { controlGroups, ensureGuest, runInGuest } from './guest.mjs'
import { ensureNftables } from '../set-up/nftables-program.mjs'
import { ensureNginx } from '../set-up/nginx-program.mjs'
import { dependencyBin, inRoot, projectNode } from '../paths.mjs'
import { ensurePostgresImage, ensureSlipwayImage } from '../images/platform-images.mjs'
import { ensurePostgres } from '../set-up/postgres-program.mjs'
import { elapsed, say, step } from '../steps.mjs'
import { failure, NOTHING, PASSED, readVitestReport, sum } from './tally.mjs'

/** A stage that takes longer hangs; the whole run has to end within CI's hour and a half. */
const STAGE_WITHIN_MS = 40 * 60_000

/** Turbo runs the packages' scripts, asks nobody anything and reports to nobody. */
const TURBO = { TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1', TURBO_NO_UPDATE_NOTIFIER: '1' }

/**
 * @typedef {{env: NodeJS.ProcessEnv, folder: string, signal: AbortSignal}} Run what every stage is given; `folder` is
 *   for its files
 */

/** A program whose exit code says everything. What it runs on is looked up late: it may just have been installed. */
const simple = (title, argv) => ({
  title,
  run: async ({ env, signal }) => {
    const code = await runVisibly(argv(), { env, signal, timeoutMs: STAGE_WITHIN_MS })
    return code === 0 ? PASSED : failure(title)
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
      return failure(`front end: ${error.message}`)
    }
  },
}

const reportersTo = (report) => ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]

/**
 * A folder's tests, or those of another configuration than its own. What they take besides is made here, so that nobody waits for it who
 * does not get as far.
 *
 * @param {string} folderName
 * @param {{title?: string, config?: string, prepare?: (env: NodeJS.ProcessEnv) => Promise<NodeJS.ProcessEnv>,
 *   runProgram?: typeof runVisibly}} more
 */
const suite = (
  folderName,
  { title = folderName, config, prepare = async () => ({}), runProgram = runVisibly } = {},
) => ({
  title: `tests of ${title}`,
  run: async ({ env, folder, signal }) => {
    try {
      const report = join(folder, `${title.replaceAll(' ', '-')}.json`)
      const configuration = config === undefined ? [] : ['--config', config]
      const argv = [projectNode(), dependencyBin('vitest'), 'run', '--passWithNoTests', ...configuration]
      const options = { cwd: inRoot(folderName), env: { ...env, ...(await prepare(env)) }, folder, signal }
      const code = await runProgram([...argv, ...reportersTo(report)], { ...options, timeoutMs: STAGE_WITHIN_MS })
      return readVitestReport(`tests of ${title}`, report, code)
    } catch (error) {
      say(error.message)
      return failure(`tests of ${title}: ${error.message}`)
    }
  },
})

/** What the tests of the backend drive besides the engine. */
const withServers = async (env) => {
  await step('nftables', (announce) => ensureNftables({ announce }))
  return withPostgres(env)
}

/** The faults of PostgreSQL are tried with servers of the tests' own. */
const withPostgres = async ({ PATH }) => {
  const programs = await step('PostgreSQL', (announce) => ensurePostgres({ announce }))
  return { PATH: `${programs}:${PATH}` }
}

/** What an installation as people run it takes: docker-compose.yml, a reverse proxy, backups. */
const withDeployment = async ({ SLIPWAY_TEST_IMAGE: developerImage }) => {
  const compose = await step('Docker Compose', (announce) => ensureCompose({ announce }))
  await step('nginx', (announce) => ensureNginx({ announce }))
  return {
    SLIPWAY_TEST_COMPOSE: compose.join(' '),
    SLIPWAY_TEST_PLATFORM_IMAGE: await step('platform image', (announce) =>
      ensureSlipwayImage({ developerImage, announce }),
    ),
    SLIPWAY_TEST_POSTGRES_IMAGE: await step('PostgreSQL image', (announce) => ensurePostgresImage({ announce })),
  }
}

const withGuest = async () => {
  await step('guest', (announce) => ensureGuest({ announce }))
  return {}
}

const inGuest = suite('backend', {
  title: 'control groups of version 2',
  config: 'vitest.guest.config.ts',
  prepare: withGuest,
  runProgram: runInGuest,
})

/** What depends on the kernel's control groups, on those that this machine's engine does not have. */
const otherControlGroups = {
  ...inGuest,
  run: async (context) => {
    if ((await controlGroups()) === 2) {
      say('they are what this machine’s engine has, so the tests of the backend have run on them')
      return NOTHING
    }
    const tally = await inGuest.run(context)
    // Where nothing was tried nothing is proved.
    return tally.passed + tally.failed > 0 ? tally : failure(`${inGuest.title}: none ran`)
  },
}

/** From the fast and narrow to the slow and wide. */
const suites = [
  suite('emulator'),
  suite('protocol'),
  suite('scripts'),
  suite('frontend'),
  suite('backend', { prepare: withServers }),
  suite('backend', { title: 'backend on PostgreSQL', config: 'vitest.postgres.config.ts', prepare: withPostgres }),
  suite('images'),
  suite('e2e'),
  suite('e2e', { title: 'the deployment', config: 'vitest.deployment.config.ts', prepare: withDeployment }),
  otherControlGroups,
]

/** Every stage in the order in which they run. */
export const stages = [
  sideBySide([
    simple('lint', () => ['npm', 'run', '--silent', 'lint']),
    simple('types', () => [dependencyBin('turbo'), 'run', 'typecheck', '--ui=stream', '--output-logs=errors-only']),
    simple('types of images', () => [projectNode(), dependencyBin('tsc'), '--noEmit', '--project', 'images']),
  ]),
  bundle,
  ...suites,
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
