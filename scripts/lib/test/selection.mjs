// What `npm test` runs: everything, some suites and paths, or what a change concerns.
import { existsSync, statSync } from 'node:fs'
import { isAbsolute, relative, sep } from 'node:path'
import { inRoot } from '../paths.mjs'
import { SetUpError } from '../steps.mjs'
import { changedSince } from './changed.mjs'
import { hasTypes } from './checks.mjs'
import { withLongForm, withShortForm } from './files.mjs'
import { Imports } from './imports.mjs'
import { GROUPS, suites as allSuites } from './suites.mjs'

/** @typedef {{suite: import('./suites.mjs').Suite, files: string[] | null}} Chosen null: all of the suite */

/** A change of these files may concern all of the code. */
const OF_ALL = /^(package-lock\.json|tsconfig\.base\.json)$/
/** Configuration files of each check. */
const CONFIGS = {
  lint: /^(eslint\.config\.js|\.oxlintrc\.json|\.oxfmtrc\.json|\.editorconfig|package-lock\.json|tsconfig\.base\.json)$/,
  types: /^(package-lock\.json|tsconfig\.base\.json|turbo\.json|prisma\/schema\.prisma)$/,
}
/** Files that tests read without importing them. */
const READ = [
  { files: /\.md$/, tests: /^scripts\/lib\/checks\/documents\./ },
  { files: /\.(?:ts|mjs|vue)$/, tests: /^scripts\/lib\/checks\/import-circles\./ },
  { files: /^prisma\//, tests: /^scripts\/lib\/checks\/migrations\./, suites: ['database'] },
  { files: /^images\//, suites: ['images'] },
]

const pathOf = (file) => relative(inRoot(), file).split(sep).join('/')

const listOf = (suites) =>
  `The suites are ${suites.map(({ name }) => name).join(', ')}; ${Object.keys(GROUPS).join(' and ')} mean several. A path is of a folder of tests, or begins like those of some.`

/** Matches the paths that an argument means: all below a folder, or all that begin with the argument. */
const beginsLike = (argument) => {
  const path = isAbsolute(argument) ? argument : inRoot(argument)
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  const start = isFolder ? `${path.replace(/\/$/, '')}/` : path
  return (file) => file.startsWith(start)
}

/**
 * @param {string[]} names suites and paths @returns {Chosen[]} in the suites' order @throws {SetUpError} when a name
 *   matches nothing
 */
const byName = (names, suites) => {
  const chosen = new Map()
  for (const name of names) {
    const named = suites.filter((suite) => (GROUPS[name] ?? [name]).includes(suite.name))
    for (const suite of named) chosen.set(suite, null)
    if (named.length > 0) continue
    const isMeant = beginsLike(name)
    const found = suites.map((suite) => [suite, suite.tests().filter(isMeant)]).filter(([, files]) => files.length > 0)
    if (found.length === 0)
      throw new SetUpError(`${name} is no suite, and no test's path begins like it. ${listOf(suites)}`)
    for (const [suite, files] of found) {
      const before = chosen.get(suite)
      if (before !== null) chosen.set(suite, [...new Set([...(before ?? []), ...files])].sort())
    }
  }
  return suites.filter((suite) => chosen.has(suite)).map((suite) => ({ suite, files: chosen.get(suite) }))
}

/** The tests of a suite that a change concerns. Null: all of them. */
const concerned = (suite, changed, imports) => {
  const paths = changed.map(pathOf)
  if (paths.some((path) => OF_ALL.test(path) || suite.configs.includes(path))) return null
  const read = READ.filter(({ files }) => paths.some((path) => files.test(path)))
  if (read.some(({ suites = [] }) => suites.includes(suite.name))) return null
  const reaches = (test) => {
    const { files } = imports.reachedFrom(test)
    return changed.some((file) => files.has(file))
  }
  const reads = (test) => read.some(({ tests }) => tests?.test(pathOf(test)))
  return suite.tests().filter((test) => reads(test) || reaches(test))
}

/** Chooses what a change concerns, never a long suite. @param {string[]} changed absolute paths @returns {Chosen[]} */
export const forChange = (changed, suites = allSuites, imports = new Imports()) => {
  const isAbout = (name) => changed.some((file) => CONFIGS[name].test(pathOf(file)))
  return suites.flatMap((suite) => {
    if (suite.isLong) return []
    if (suite.name === 'lint')
      return [{ suite, files: isAbout('lint') ? null : changed.filter((file) => existsSync(file)) }]
    if (suite.name === 'types' && isAbout('types')) return [{ suite, files: null }]
    if (suite.name === 'types') return hasTypes(changed) ? [{ suite, files: changed }] : []
    const files = suite.tests().length === 0 ? [] : concerned(suite, changed, imports)
    return files === null || files.length > 0 ? [{ suite, files }] : []
  })
}

const CHANGED = /^--changed(?:=(.*))?$/
/** The argument of `npm run test:long`. */
const LONG = '--long'
/** Read by `testing/src/forms.ts`. */
const LONG_FORM = { SLIPWAY_TEST_FORM: 'long' }

/** The variables that set the form of the tests. @param {string[]} args @returns {NodeJS.ProcessEnv} */
export const formOf = ([first]) => (first === LONG ? LONG_FORM : {})

/** The long suites, and of the others the tests that have a long form. @returns {Chosen[]} */
const allLong = (suites) =>
  suites
    .map((suite) => ({ suite, files: suite.isLong ? null : withLongForm(suite.tests()) }))
    .filter(({ files }) => files === null || files.length > 0)

/** All suites but the long ones, and of each the tests that have a short form. @returns {Chosen[]} */
const allShort = (suites) =>
  suites
    .filter(({ isLong }) => !isLong)
    .map((suite) => {
      const all = suite.tests()
      const short = withShortForm(all)
      return { suite, files: short.length === all.length ? null : short }
    })

/**
 * @param {string[]} args the arguments after `npm test --`
 * @param {import('./suites.mjs').Suite[]} [suites] all suites
 * @returns {Promise<Chosen[]>} at least one
 * @throws {SetUpError} when the arguments match nothing, with what would match
 */
export const select = async (args, suites = allSuites) => {
  const [first, ...rest] = args
  if (first === undefined) return allShort(suites)
  if (first === LONG) return rest.length === 0 ? allLong(suites) : byName(rest, suites)
  const [isChange, value] = CHANGED.exec(first) ?? []
  if (isChange !== undefined) {
    const [base = 'HEAD', ...more] = value === undefined ? rest : [value, ...rest]
    if (more.length > 0)
      throw new SetUpError(`--changed takes one commit, and nothing besides: ${more.join(' ')} is too much.`)
    const changed = await changedSince(base)
    if (changed.length === 0)
      throw new SetUpError(`nothing has changed since ${base}. --changed main compares with another commit.`)
    return forChange(changed, suites)
  }
  const option = args.find((arg) => arg.startsWith('-'))
  if (option !== undefined)
    throw new SetUpError(`there is no ${option}; there is --changed, before everything else. ${listOf(suites)}`)
  return byName(args, suites)
}
