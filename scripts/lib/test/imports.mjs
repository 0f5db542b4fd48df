// Which files and packages a source file loads, read from its text: what decides what a test needs, and which tests a change concerns.
import { readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { inRoot } from '../paths.mjs'

/** An import or an export of another file's. Types alone are erased, so they load nothing. */
const STATIC = /^\s*(?:import|export)\s+(type\s)?(?:(?:(?!\n\s*(?:import|export)\b)[^'"`;=()])*?\sfrom\s+)?'([^']+)'/gm
/** `import('./a.ts')`, and what a worker is started from: `new URL('./a.ts', import.meta.url)`. */
const DYNAMIC = /\bimport\(\s*'([^']+)'|\bnew URL\(\s*'([^']+)',\s*import\.meta\.url/g
/** A path within the checkout that is only named: as a rule a program that is started as a process of its own. */
const NAMED = /'(\.\.?\/[^'\n]+\.(?:ts|mjs|js))'/g
/** What is read as a source; all else loads nothing. */
const SOURCE = /\.(?:ts|mts|mjs|js|vue)$/

/** The first path segments of a package's files, by the name under which the workspace knows it. */
const aliases = { '@/': inRoot('frontend', 'src') + '/' }

const isFile = (path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true

/** `@slipway/emulator/headless`: what the package's manifest says. */
const ofWorkspace = (specifier) => {
  const [scope, name, ...rest] = specifier.split('/')
  const { exports } = JSON.parse(readFileSync(inRoot(name, 'package.json'), 'utf8'))
  const target = exports?.[['.', ...rest].join('/')]
  if (target === undefined) throw new Error(`${scope}/${name} exports no ${specifier}`)
  return inRoot(name, target)
}

/**
 * The file that a specifier means, or null for a package's.
 *
 * @param {string} specifier as an import says it
 * @param {string} from the absolute path of the file that imports
 * @returns {string | null} an absolute path, whether there is such a file or not
 */
export const fileOf = (specifier, from) => {
  if (specifier.startsWith('.')) return resolve(dirname(from), specifier.replace(/\?\w+$/, ''))
  if (specifier.startsWith('@slipway/')) return ofWorkspace(specifier)
  const [alias, folder] = Object.entries(aliases).find(([alias]) => specifier.startsWith(alias)) ?? []
  return alias === undefined ? null : join(folder, specifier.slice(alias.length))
}

/** `@scope/name` or `name`, without the path inside of the package. */
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

/** The imports of all files, each read once. */
export class Imports {
  /** @type {Map<string, Loaded>} */
  #loaded = new Map()

  /**
   * What a file loads, over however many others.
   *
   * @param {string} file its absolute path
   * @param {{named?: boolean}} [options] `named`: also what the programs load that it starts
   * @returns {{files: Set<string>, packages: Set<string>}} the file itself among them
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
