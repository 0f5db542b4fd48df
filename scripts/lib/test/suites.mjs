// The suites of `npm test`, with what each runs and the set-up that it needs.
import { readFileSync } from 'node:fs'
import { inRoot, projectNode } from '../paths.mjs'
import { lint, simple, types } from './checks.mjs'
import { backendTests, endToEndTests, testsBelow } from './files.mjs'
import { controlGroups, runInGuest } from './guest.mjs'
import { failure, NOTHING, PASSED } from './report/tally.mjs'
import { runTests } from './vitest.mjs'

/**
 * @typedef {object} Run what a suite gets
 * @property {NodeJS.ProcessEnv} env
 * @property {string} folder for its files
 * @property {AbortSignal} signal
 * @property {import('./report/output.mjs').Output} output
 * @property {(ms: number) => void} onCpuMs is called with the CPU time of each program that it ran
 * @property {(files: {path: string, wallMs: number}[]) => void} onFiles is called with the time of each test file
 *
 * @typedef {object} Suite
 * @property {string} name for the command line
 * @property {string} title
 * @property {(files: string[] | null) => string[]} needs names of the set-up, for some of its tests or all
 * @property {() => string[]} tests absolute paths of its tests; none for a suite that runs only by its name
 * @property {string[]} configs files of the checkout whose change concerns all of its tests
 * @property {number} cores that it keeps busy on average; two suites that mostly wait share one
 * @property {boolean} [isLong] whether only `npm run test:long` runs it, unless it is named
 * @property {(files: string[] | null, run: Run) => Promise<import('./report/tally.mjs').Tally>} run null: all of it
 */

/** Most suites wait half of the time: for a container, a database, a browser or the end of a pause. */
const HALF = 0.5

/** A check that is not a test. */
const check = (name, title, needs, run) => ({
  name,
  title,
  needs: () => needs,
  tests: () => [],
  configs: [],
  cores: HALF,
  run,
})

/** @returns {Suite} */
const suite = ({ name, title = `tests of ${name}`, tests, needs, configs, cores = HALF, isLong = false, ...how }) => ({
  name,
  title,
  tests,
  needs,
  configs,
  cores,
  isLong,
  run: (files, run) => runTests({ title, ...how }, files, run),
})

/** Whether a test of the scripts needs the engine. Most do not. */
const usesImage = (file) => readFileSync(file, 'utf8').includes('SLIPWAY_TEST_IMAGE')

const guest = suite({
  name: 'guest',
  title: 'tests of control groups of version 2',
  folder: 'backend',
  config: 'vitest.guest.config.ts',
  tests: () => [],
  needs: () => ['client', 'image', 'guest'],
  configs: [],
  cores: 2,
  isLong: true,
  runProgram: runInGuest,
})

/** The tests that depend on the kernel's control groups, on the version that this machine's engine does not use. */
const otherControlGroups = {
  ...guest,
  run: async (files, run) => {
    if ((await controlGroups()) === 2) {
      run.output.say('they are what this machine’s engine has, so the tests of the backend have run on them')
      return NOTHING
    }
    const tally = await guest.run(files, run)
    // A run without tests proves nothing.
    return tally.passed + tally.failed > 0 ? tally : failure(`${guest.title}: none ran`)
  },
}

const ofBackend = (name, needs, cores = HALF) =>
  suite({
    cores,
    name,
    title: `tests of the backend (${name})`,
    folder: 'backend',
    project: name,
    tests: () => backendTests()[name],
    needs: () => needs,
    configs: ['backend/vitest.config.ts'],
  })

const ofServer = (name, needs, cores = HALF) =>
  suite({
    cores,
    name,
    title: `end-to-end tests (${name})`,
    folder: 'e2e',
    project: name,
    tests: () => endToEndTests()[name],
    needs: () => needs,
    configs: ['e2e/vitest.config.ts'],
  })

/** Whether a test starts docker-compose.yml, which needs the platform's image. */
const usesCompose = (file) => /deployment\/compose\./.test(file)

/** Tests of what is around a server: a proxy, backups, Compose. */
const ofInstallation = (name, isMeant, needs) => {
  const tests = () => testsBelow('e2e', 'deployment').filter(isMeant)
  const all = suite({
    name,
    title: `tests of the ${name}`,
    folder: 'e2e',
    config: 'vitest.deployment.config.ts',
    tests,
    needs: () => needs,
    configs: ['e2e/vitest.deployment.config.ts'],
  })
  return { ...all, run: (files, run) => all.run(files ?? tests(), run) }
}

/** A program of `scripts/` with its own set-up. `e2e/protocol` has a shorter one of each. */
const program = (name, title) => ({
  ...check(name, title, ['dependencies'], (_files, run) =>
    simple(title, [projectNode(), inRoot('scripts', `${name}.mjs`)], run),
  ),
  cores: 2,
  isLong: true,
})

/** A workspace whose tests need only its dependencies. */
const ofLibrary = (name) =>
  suite({ name, folder: name, tests: () => testsBelow(name), needs: () => ['dependencies'], configs: [] })

/**
 * Two or three workers with servers and containers, a database or a browser. Two such suites keep two cores busy. More of them
 * take as long one after the other, and then none of their tests reaches its limit because of the others.
 */
const WORK_CORES = 1

/**
 * The order of starting, if all could start: after the checks the longest first, so that short ones fill what is free at the
 * end. @type {Suite[]}
 */
export const suites = [
  check('lint', 'lint', ['client'], lint),
  check('types', 'types', ['client'], types),
  ofServer('browser', ['client', 'image', 'postgres', 'chromium', 'bundle'], WORK_CORES),
  ofBackend('engine', ['client', 'postgres', 'nftables', 'ssh', 'image'], WORK_CORES),
  ofServer('clients', ['client', 'image', 'postgres'], WORK_CORES),
  ofBackend('database', ['client', 'postgres'], WORK_CORES),
  // The set-up builds it, and fails if it cannot be built.
  check('bundle', 'front end', ['bundle'], async () => PASSED),
  ofLibrary('emulator'),
  ofLibrary('protocol'),
  ofLibrary('testing'),
  ofLibrary('cli'),
  suite({
    name: 'scripts',
    folder: 'scripts',
    tests: () => testsBelow('scripts'),
    needs: (files) => (files === null || files.some(usesImage) ? ['client', 'image'] : ['client']),
    configs: [],
  }),
  suite({
    name: 'frontend',
    folder: 'frontend',
    tests: () => testsBelow('frontend'),
    needs: () => ['dependencies'],
    configs: ['frontend/vitest.config.ts'],
  }),
  ofBackend('unit', ['client']),
  suite({
    name: 'images',
    folder: 'images',
    tests: () => testsBelow('images'),
    needs: () => ['image'],
    configs: [],
  }),
  ofInstallation('installation', (file) => !usesCompose(file), ['client', 'image', 'nginx', 'bundle']),
  {
    ...ofInstallation('deployment', usesCompose, ['client', 'image', 'compose', 'platform-image', 'postgres-image']),
    cores: 2,
    isLong: true,
  },
  otherControlGroups,
  program('load', 'a quarter of an hour with fifty users'),
  program('soak', 'half an hour of two hundred sessions'),
]

/** Names for several suites. */
export const GROUPS = { backend: ['unit', 'database', 'engine'], e2e: ['clients', 'browser'] }
