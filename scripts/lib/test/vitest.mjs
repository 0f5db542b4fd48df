// Runs tests with Vitest and counts them.
import { join } from 'node:path'
import { runVisibly } from '../commands.mjs'
import { dependencyBin, inRoot, projectNode } from '../paths.mjs'
import { fileCosts } from './report/costs.mjs'
import { failure, readVitestReport } from './report/tally.mjs'

/** A stage that takes longer hangs. The whole run must end within CI's hour and a half. Milliseconds. */
export const STAGE_WITHIN_MS = 60 * 60_000

/** Longest for one test or hook of a suite without a project, in milliseconds: the other suites may have both cores. */
const TEST_WITHIN_MS = 180_000
/** Longest for one wait in such a test, in milliseconds. By default Vitest waits for a second. */
const POLL_WITHIN_MS = 120_000
const PATIENCE = [
  `--testTimeout=${TEST_WITHIN_MS}`,
  `--hookTimeout=${TEST_WITHIN_MS}`,
  `--expect.poll.timeout=${POLL_WITHIN_MS}`,
]

const reportersTo = (report) => ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]

/**
 * @typedef {object} Tests
 * @property {string} title for messages about failures
 * @property {string} folder below the checkout, in which Vitest runs
 * @property {string} [config] another configuration than the folder's own
 * @property {string} [project] the project of the configuration that runs
 * @property {typeof runVisibly} [runProgram]
 */

/**
 * @param {Tests} tests
 * @param {string[] | null} files absolute paths; null: all
 * @param {import('./suites.mjs').Run} run
 * @returns {Promise<import('./report/tally.mjs').Tally>}
 */
export const runTests = async ({ title, folder, config, project, runProgram = runVisibly }, files, run) => {
  const report = join(run.folder, `${title.replace(/\W+/g, '-')}.json`)
  const argv = [
    ...[projectNode(), dependencyBin('vitest'), 'run'],
    ...(config === undefined ? [] : ['--config', config]),
    ...(project === undefined ? [] : ['--project', project]),
    ...((project ?? config) ? [] : PATIENCE),
    ...reportersTo(report),
    ...(files ?? []),
  ]
  const { env, signal, output, onCpuMs } = run
  const options = { cwd: inRoot(folder), env, signal, timeoutMs: STAGE_WITHIN_MS, fd: output.fd, onCpuMs }
  try {
    const code = await runProgram(argv, { ...options, folder: run.folder, say: output.say })
    run.onFiles(fileCosts(report))
    return readVitestReport(title, report, code, output.last())
  } catch (error) {
    output.say(error.message)
    return failure(`${title}: ${error.message}`)
  }
}
