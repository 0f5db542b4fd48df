// A part of the engine that belongs to one run: everything in it is named, and labelled, with the run's prefix.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { capture } from './commands.mjs'

/** What an engine holds, in the order in which it can be removed: nothing goes while something before it uses it. */
const KINDS = [
  { kind: 'container', list: ['ps', '--all'], name: '{{.Names}}', remove: ['rm', '--force', '--volumes'] },
  { kind: 'volume', list: ['volume', 'ls'], name: '{{.Name}}', remove: ['volume', 'rm', '--force'] },
  { kind: 'network', list: ['network', 'ls'], name: '{{.Name}}', remove: ['network', 'rm'] },
]

/** Variables of the set-up, which say nothing of a running platform. */
const SET_UP_VARIABLES = ['SLIPWAY_NO_INSTALL', 'SLIPWAY_CLIS', 'SLIPWAY_BASE_IMAGE']

/**
 * Removes every container, volume and network whose name or whose label begins with the prefix.
 *
 * @param {string} prefix
 * @returns {Promise<string[]>} what there was, e.g. `container slipway-test-1f-agent-a`
 */
export const removeLeftovers = async (prefix) => {
  const found = []
  for (const { kind, list, name, remove } of KINDS) {
    const { stdout } = await capture(['docker', ...list, '--format', `${name}\t{{.Labels}}`])
    const names = stdout
      .split('\n')
      .map((line) => line.split('\t'))
      .filter(([own, labels = '']) => own.startsWith(prefix) || labels.split(',').some((l) => l.startsWith(prefix)))
      .map(([own]) => own)
    if (names.length > 0) await capture(['docker', ...remove, ...names])
    found.push(...names.map((own) => `${kind} ${own}`))
  }
  return found
}

/**
 * Gives `work` a namespace and a data folder of its own, so that a run needs no running platform and disturbs none.
 * Both are gone afterwards, whatever happened.
 *
 * @param {string} purpose part of the namespace's name, e.g. `test`
 * @param {(run: {namespace: string, folder: string, env: NodeJS.ProcessEnv}) => Promise<T>} work `env` is this
 *   process's without the settings of a platform that may run here
 * @param {{usesEngine?: boolean}} [options] without an engine nothing can be left in one
 * @returns {Promise<{result: T, leftovers: string[]}>} `leftovers` is what the run itself did not remove
 * @template T
 */
export const withNamespace = async (purpose, work, { usesEngine = true } = {}) => {
  const tidyUp = () => (usesEngine ? removeLeftovers(namespace) : [])
  const namespace = `slipway-${purpose}-${randomBytes(4).toString('hex')}`
  const folder = mkdtempSync(join(tmpdir(), `${namespace}-`))
  const inherited = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('SLIPWAY_') || SET_UP_VARIABLES.includes(name),
  )
  const env = {
    ...Object.fromEntries(inherited),
    SLIPWAY_DATA_DIR: join(folder, 'data'),
    SLIPWAY_NAMESPACE: namespace,
    SLIPWAY_PORT: '0',
    SLIPWAY_TEST_NAMESPACE: namespace,
  }
  try {
    const result = await work({ namespace, folder, env })
    return { result, leftovers: await tidyUp() }
  } catch (error) {
    await tidyUp()
    throw error
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
