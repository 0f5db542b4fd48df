// A part of the engine for one run. All names and labels in it begin with the run's prefix.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { capture } from './commands.mjs'
import { say } from './steps.mjs'

/**
 * Kinds of things in an engine, in the order of their removal. A thing cannot be removed while an earlier kind uses it.
 */
const KINDS = [
  { kind: 'container', list: ['ps', '--all'], name: '{{.Names}}', remove: ['rm', '--force', '--volumes'] },
  { kind: 'volume', list: ['volume', 'ls'], name: '{{.Name}}', remove: ['volume', 'rm', '--force'] },
  { kind: 'network', list: ['network', 'ls'], name: '{{.Name}}', remove: ['network', 'rm'] },
]

/** Variables of the set-up and of the bench, which do not concern a running platform. */
const OWN_VARIABLES = ['SLIPWAY_NO_INSTALL', 'SLIPWAY_CLIS', 'SLIPWAY_BASE_IMAGE', 'SLIPWAY_BENCH_NODE_FLAGS']

/** The engine's complaint about a network that it does not remove, with the network's name. */
const IN_USE = /network (\S+) id \S+ has active endpoints/g

/**
 * Removes every container, volume and network whose name or label begins with the prefix. Docker 20.10 sometimes counts connections of
 * containers that are gone. It keeps their network until its next start, and this says so.
 *
 * @param {string} prefix
 * @returns {Promise<string[]>} what was removed, e.g. `container slipway-test-1f-agent-a`
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
    if (names.length === 0) continue
    const { output } = await capture(['docker', ...remove, ...names])
    const kept = [...output.matchAll(IN_USE)].map(([, own]) => own)
    for (const own of kept) say(`the engine takes the network ${own} for used, and keeps it until its next start`)
    found.push(...names.filter((own) => !kept.includes(own)).map((own) => `${kind} ${own}`))
  }
  return found
}

/**
 * Runs `work` with its own namespace and data folder. So a run needs no running platform, and disturbs none. Both are
 * removed afterwards, also after a failure.
 *
 * @param {string} purpose part of the namespace's name, e.g. `test`
 * @param {(run: {namespace: string, folder: string, env: NodeJS.ProcessEnv}) => Promise<T>} work `env` is this
 *   process's, without the settings of a platform on this machine
 * @param {{usesEngine?: boolean}} [options] a run without an engine leaves nothing in one
 * @returns {Promise<{result: T, leftovers: string[]}>} `leftovers` is what the run itself did not remove
 * @template T
 */
export const withNamespace = async (purpose, work, { usesEngine = true } = {}) => {
  const tidyUp = () => (usesEngine ? removeLeftovers(namespace) : [])
  const namespace = `slipway-${purpose}-${randomBytes(4).toString('hex')}`
  const folder = mkdtempSync(join(tmpdir(), `${namespace}-`))
  const inherited = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('SLIPWAY_') || OWN_VARIABLES.includes(name),
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
