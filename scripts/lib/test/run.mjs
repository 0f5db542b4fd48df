// Runs the chosen suites. Each starts as soon as its set-up is ready.
import { availableParallelism } from 'node:os'
import { inRoot } from '../paths.mjs'
import { elapsed, say } from '../steps.mjs'
import { runGraph } from './graph.mjs'
import { makeNeed, NEEDS, withThoseBefore } from './needs.mjs'
import { kept, straight } from './report/output.mjs'
import { failure } from './report/tally.mjs'

/**
 * @typedef {import('./selection.mjs').Chosen} Chosen
 *
 * @typedef {{suites: import('./report/costs.mjs').Cost[], files: {path: string, wallMs: number}[]}} Costs
 */

/**
 * All parts of the set-up that the suites need, each after its own needs. @param {Chosen[]} chosen @returns {string[]}
 */
export const needsOf = (chosen) => withThoseBefore(chosen.flatMap(({ suite, files }) => suite.needs(files)))

/**
 * Where Node keeps the code that it has compiled. The tests start some hundred servers, and each would strip the types
 * of the same modules, which is a third of its start. A changed module takes the place of its older version.
 */
const COMPILED = inRoot('node_modules', '.cache', 'node')

/** Without a prefix a need and a suite could have the same name. The front end is both. */
const needNode = (name) => `need ${name}`

/** A part of the set-up as a node of the graph. It mostly waits for the network or the engine. */
const setUp = (name, { env, tallies }) => ({
  name: needNode(name),
  after: NEEDS[name].after.map(needNode),
  cores: 0,
  run: async () => {
    try {
      Object.assign(env, await makeNeed(name, env))
      return true
    } catch (error) {
      say(`✗ ${NEEDS[name].title}: ${error.message}`)
      tallies.push(failure(`set-up: ${error.message}`))
      return false
    }
  },
})

const stage = ({ suite, files }, { env, folder, signal, isAlone, tallies, costs }) => ({
  name: suite.name,
  after: suite.needs(files).map(needNode),
  cores: suite.cores,
  skipped: (failed) => tallies.push(failure(`${suite.title}: not run, because ${failed} failed`)),
  run: async () => {
    const started = performance.now()
    if (!isAlone) say(`▸ ${suite.title}`)
    const output = isAlone ? straight() : kept(folder, suite.name)
    output.say(`\n── ${suite.title}`)
    let cpuMs = 0
    const onCpuMs = (ms) => (cpuMs += ms)
    const onFiles = (ofSuite) => costs.files.push(...ofSuite)
    const tally = await suite
      .run(files, { env, folder, signal, output, onCpuMs, onFiles })
      .catch((error) => failure(`${suite.title}: ${error.stack}`))
    const wallMs = performance.now() - started
    costs.suites.push({ title: suite.title, wallMs, cpuMs })
    output.say(`${tally.failed === 0 ? '✓' : '✗'} ${suite.title} (${elapsed(wallMs)})`)
    await output.end()
    tallies.push(tally)
    return tally.failed === 0
  },
})

/**
 * @param {Chosen[]} chosen
 * @param {{env: NodeJS.ProcessEnv, folder: string, signal: AbortSignal}} run
 * @returns {Promise<{tallies: import('./report/tally.mjs').Tally[], costs: Costs}>} the results of the suites, and of
 *   failed parts of the set-up
 */
export const runChosen = async (chosen, { env, folder, signal }) => {
  const tallies = []
  const costs = { suites: [], files: [] }
  const context = {
    env: { NODE_COMPILE_CACHE: COMPILED, ...env },
    folder,
    signal,
    isAlone: chosen.length === 1,
    tallies,
    costs,
  }
  const nodes = [...needsOf(chosen).map((name) => setUp(name, context)), ...chosen.map((each) => stage(each, context))]
  await runGraph(nodes, { cores: availableParallelism(), signal })
  return { tallies, costs }
}
