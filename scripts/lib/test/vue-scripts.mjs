// The scripts of Vue's files as files of their own, because oxlint checks with types only what is TypeScript.
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { inRoot } from '../paths.mjs'

const FRONTEND = inRoot('frontend')

/** What Vue's compiler adds to a module, for those that import it. `vue-tsc` knows each component's own type. */
const COMPONENT = "\nexport default {} as import('vue').DefineComponent\n"

/** Imports lead to these files first, and else to the front end's own. */
const TSCONFIG = {
  extends: join(FRONTEND, 'tsconfig.json'),
  compilerOptions: { rootDirs: ['.', FRONTEND], paths: { '@/*': ['./src/*', join(FRONTEND, 'src', '*')] } },
  include: ['src', join(FRONTEND, 'src', '**', '*.d.ts')],
}

/** Vue's compiler comes with the dependencies, which may be installed only after this file is loaded. */
const compiler = () => import('vue/compiler-sfc')

/**
 * The TypeScript of a Vue file. Each line and column is the same in both.
 *
 * @param {string} source
 */
export const scriptOf = async (source) => {
  const { parse } = await compiler()
  const { script, scriptSetup } = parse(source, { sourceMap: false }).descriptor
  const blank = (text) => text.replaceAll(/[^\n]/g, ' ')
  const blocks = [script, scriptSetup]
    .filter(Boolean)
    .sort((one, other) => one.loc.start.offset - other.loc.start.offset)
  let text = ''
  for (const { attrs, loc } of blocks) {
    const before = blank(source.slice(text.length, loc.start.offset))
    // In place of the tag: a parameter of the component becomes the type that it extends.
    const parameter = typeof attrs.generic === 'string' ? `type ${attrs.generic.replace(' extends ', ' = ')};` : ''
    text += before.slice(0, before.length - parameter.length) + parameter + loc.source
  }
  return script === null || scriptSetup !== null ? text + COMPONENT : text
}

/**
 * Writes the scripts of all Vue files of the front end, and answers where each of them is.
 *
 * @param {string} folder outside of the checkout, because oxlint leaves out what Git ignores
 * @returns {Promise<Map<string, string>>} by the absolute path of the Vue file
 */
export const writeVueScripts = async (folder) => {
  const written = new Map()
  for (const below of readdirSync(join(FRONTEND, 'src'), { recursive: true })) {
    if (!below.endsWith('.vue')) continue
    const name = join('src', below)
    const script = join(folder, `${name}.ts`)
    mkdirSync(dirname(script), { recursive: true })
    writeFileSync(script, await scriptOf(readFileSync(join(FRONTEND, name), 'utf8')))
    written.set(join(FRONTEND, name), script)
  }
  symlinkSync(inRoot('node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG))
  return written
}
