// Finds the files and packages that a source file loads, from its text. They decide what a test needs, and which tests
// a change concerns.
import { readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { inRoot } from '../paths.mjs'

/** An import or export from another file. Imports of types alone are erased, so they load nothing. */
const STATIC = /^\s*(?:import|export)\s+(type\s)?(?:(?:(?!\n\s*(?:import|export)\b)[^'"`;=()])*?\sfrom\s+)?'([^']+)'/gm
/** `import('./a.ts')`, and `new URL('./a.ts', import.meta.url)`, with which a worker starts. */
const DYNAMIC = /\bimport\(\s*'([^']+)'|\bnew URL\(\s*'([^']+)',\s*import\.meta\.url/g
/** A path of the checkout in a string. Usually it names a program that is started as a process. */
const NAMED = /'(\.\.?\/[^'\n]+\.(?:ts|mjs|js))'/g
/** Names of source files. Other files load nothing. */
const SOURCE = /\.(?:ts|mts|mjs|js|vue)$/

/** The folder of a package's files, by the prefix of its imports. */
const aliases = { '@/': inRoot('frontend', 'src') + '/' }

const isFile = (path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true

/** Resolves `@slipway/emulator/headless` with the package's manifest. */
const ofWorkspace = (specifier) => {
  const [scope, name, ...rest] = specifier.split('/')
  const { exports } = JSON.parse(readFileSync(inRoot(name, 'package.json'), 'utf8'))
  const target = exports?.[['.', ...rest].join('/')]
  if (target === undefined) throw new Error(`${scope}/${name} exports no ${specifier}`)
  return inRoot(name, target)
}

/**
 * The file of a specifier, or null for a package's.
 *
 * @param {string} specifier as in the import
 * @param {string} from the absolute path of the file that imports
 * @returns {string | null} an absolute path, which may not exist
 */
export const fileOf = (specifier, from) => {
  if (specifier.startsWith('.')) return resolve(dirname(from), specifier.replace(/\?\w+$/, ''))
  if (specifier.startsWith('@slipway/')) return ofWorkspace(specifier)
  const [alias, folder] = Object.entries(aliases).find(([alias]) => specifier.startsWith(alias)) ?? []
  return alias === undefined ? null : join(folder, specifier.slice(alias.length))
}

/** `@scope/name` or `name`, without the path in the package. */
const packageOf = (specifier) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

/** @typedef {{imported: Set<string>, named: Set<string>, packages: Set<string>}} Loaded absolute paths, and names of packages */

/** @returns {Loaded} */
const read = (file) => {
  const loaded = { imported: new Set(), named: new Set(), packages: new Set() }
  if (!SOURCE.test(file) || !isFile(file)) return loaded
  const text = readFileSync(file, 'utf8')
  const types = new Set()
  const add = (specifier) => {
    const path = fileOf(specifier, file)
    if (path === null) loaded.packages.add(packageOf(specifier))
    else if (isFile(path)) loaded.imported.add(path)
  }
  for (const [, type, specifier] of text.matchAll(STATIC)) {
    if (type === undefined) add(specifier)
    else types.add(specifier)
  }
  for (const [, dynamic, url] of text.matchAll(DYNAMIC)) add(dynamic ?? url)
  for (const [, specifier] of text.matchAll(NAMED)) {
    const path = fileOf(specifier, file)
    if (!types.has(specifier) && !loaded.imported.has(path) && isFile(path)) loaded.named.add(path)
  }
  return loaded
}

/** The imports of all files. Each file is read once. */
export class Imports {
  /** @type {Map<string, Loaded>} */
  #loaded = new Map()

  /**
   * Everything that a file loads, directly or through other files.
   *
   * @param {string} file its absolute path
   * @param {{named?: boolean}} [options] `named`: also what the programs load that it starts
   * @returns {{files: Set<string>, packages: Set<string>}} with the file itself
   */
  reachedFrom(file, { named = false } = {}) {
    const files = new Set()
    const packages = new Set()
    const open = [file]
    while (open.length > 0) {
      const next = open.pop()
      if (files.has(next)) continue
      files.add(next)
      const loaded = this.#of(next)
      for (const name of loaded.packages) packages.add(name)
      open.push(...loaded.imported, ...(named ? loaded.named : []))
    }
    return { files, packages }
  }

  #of(file) {
    const known = this.#loaded.get(file)
    if (known !== undefined) return known
    const loaded = read(file)
    this.#loaded.set(file, loaded)
    return loaded
  }
}
