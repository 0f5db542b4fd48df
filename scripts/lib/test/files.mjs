// The test files of the checkout, and what kind each is of.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { inRoot } from '../paths.mjs'
import { Imports } from './imports.mjs'

/** Folders whose content is made or installed. */
const MADE = new Set(['node_modules', 'dist', 'generated', '.turbo', 'results'])
const TEST = /\.test\.(?:ts|mjs)$/

/**
 * The tests below a folder of the checkout.
 *
 * @param {...string} segments
 * @returns {string[]} absolute paths, sorted
 */
export const testsBelow = (...segments) => {
  const folder = inRoot(...segments)
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !MADE.has(name))
    .flatMap((entry) => {
      if (entry.isDirectory()) return testsBelow(...segments, entry.name)
      return TEST.test(entry.name) ? [join(folder, entry.name)] : []
    })
    .sort()
}

/** Each file is read once for all that is asked about it. */
const imports = new Imports()
/** Works it out when it is asked for first: tests do not move while they run. */
const once = (work) => {
  let result
  return () => (result ??= work(imports))
}

/** The packages by which the engine and a database are reached. */
const ENGINE_CLIENT = 'dockerode'
const DATABASES = ['pg', '@electric-sql/pglite']
const BROWSER = 'playwright'

/** @param {Set<string>} packages what a test reaches, the programs that it starts included */
const kindOf = (packages) => {
  if (packages.has(ENGINE_CLIENT)) return 'engine'
  return DATABASES.some((name) => packages.has(name)) ? 'database' : 'unit'
}

/**
 * The backend's tests by what they reach: `engine` where that is the engine's client, else `database` where it is a client of one, else
 * `unit`. It is read from their imports, so it goes with a file wherever that is moved.
 *
 * @returns {{unit: string[], database: string[], engine: string[]}} absolute paths
 */
export const backendTests = once((imports) => {
  const kinds = { unit: [], database: [], engine: [] }
  for (const file of testsBelow('backend'))
    kinds[kindOf(imports.reachedFrom(file, { named: true }).packages)].push(file)
  return kinds
})

/**
 * The end-to-end tests of a running server: `browser` where a test drives one, else `clients`.
 *
 * @returns {{browser: string[], clients: string[]}} absolute paths
 */
export const endToEndTests = once((imports) => {
  const kinds = { browser: [], clients: [] }
  for (const file of testsBelow('e2e')) {
    if (file.startsWith(inRoot('e2e', 'deployment'))) continue
    kinds[imports.reachedFrom(file).packages.has(BROWSER) ? 'browser' : 'clients'].push(file)
  }
  return kinds
})
