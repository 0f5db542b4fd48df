// The test files of the checkout, sorted into kinds.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { inRoot } from '../paths.mjs'
import { Imports } from './imports.mjs'

/** Folders of generated or installed files. */
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

/** Reads each file once for all questions about it. */
const imports = new Imports()
/** Computes the result at the first call. Tests do not move during a run. */
const once = (work) => {
  let result
  return () => (result ??= work(imports))
}

/** The packages that connect to the engine and to a database. */
const ENGINE_CLIENT = 'dockerode'
const DATABASES = ['pg', '@electric-sql/pglite']
const BROWSER = 'playwright'

/** @param {Set<string>} packages that a test loads, with those of the programs that it starts */
const kindOf = (packages) => {
  if (packages.has(ENGINE_CLIENT)) return 'engine'
  return DATABASES.some((name) => packages.has(name)) ? 'database' : 'unit'
}

/**
 * The backend's tests by what they use: `engine` if they load the engine's client, otherwise `database` if they load a
 * database's client, otherwise `unit`. Imports decide, so a test keeps its kind when its file moves.
 *
 * @returns {{unit: string[], database: string[], engine: string[]}} absolute paths
 */
export const backendTests = once((imports) => {
  const kinds = { unit: [], database: [], engine: [] }
  for (const file of testsBelow('backend'))
    kinds[kindOf(imports.reachedFrom(file, { named: true }).packages)].push(file)
  return kinds
})

/** The module with which a test has a short and a long form. */
const FORMS = inRoot('testing', 'src', 'forms.ts')
/** The module that makes all of a test file a part of the long form. */
const LONG_ONLY = inRoot('testing', 'src', 'long.ts')
const isLongOnly = (file) => imports.reachedFrom(file).files.has(LONG_ONLY)
/** Tests some of whose cases only the long form runs. @param {string[]} files @returns {string[]} */
export const withLongForm = (files) =>
  files.filter((file) => isLongOnly(file) || imports.reachedFrom(file).files.has(FORMS))
/** Tests that have a short form. @param {string[]} files @returns {string[]} */
export const withShortForm = (files) => files.filter((file) => !isLongOnly(file))

/**
 * The end-to-end tests of a running server: `browser` if they drive a browser, otherwise `clients`.
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
