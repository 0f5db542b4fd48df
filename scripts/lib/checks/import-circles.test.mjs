// No file imports itself through other files. A circle of types alone counts, too: no file of a circle can be read,
// moved or tested without the others.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { extname, relative } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { inRoot } from '../paths.mjs'
import { fileOf } from '../test/imports.mjs'

const FOLDERS = ['backend', 'bench', 'cli', 'e2e', 'emulator', 'frontend', 'images', 'protocol', 'scripts', 'testing']
const EXTENSIONS = ['.ts', '.mjs', '.vue']
const NOT_SOURCES = ['node_modules', 'dist', 'generated', 'results']

const sources = globSync(`{${FOLDERS}}/**/*`, {
  cwd: inRoot(),
  exclude: (name) => NOT_SOURCES.includes(name.split('/').at(-1)),
})
  .filter((file) => EXTENSIONS.includes(extname(file)))
  .map((file) => inRoot(file))

const scriptsOf = (file, text) =>
  extname(file) === '.vue' ? [...text.matchAll(/<script[^>]*>(.*?)<\/script>/gs)].map(([, script]) => script) : [text]

/** The project's files that a file imports, with types and dynamic imports. */
const importsOf = (file) =>
  scriptsOf(file, readFileSync(file, 'utf8'))
    .flatMap((script) => ts.preProcessFile(script).importedFiles)
    .map(({ fileName }) => fileOf(fileName, file))
    .filter((path) => path !== null)

/**
 * Finds one circle in each group of files that import each other, as a list of its files.
 *
 * @param {Map<string, readonly string[]>} graph what each file imports
 */
const circlesIn = (graph) => {
  const circles = []
  const finished = new Set()
  const way = []
  const visit = (file) => {
    if (finished.has(file)) return
    const at = way.indexOf(file)
    if (at >= 0) {
      circles.push(way.slice(at))
      return
    }
    way.push(file)
    for (const imported of graph.get(file) ?? []) visit(imported)
    way.pop()
    finished.add(file)
  }
  for (const file of graph.keys()) visit(file)
  return circles
}

describe('a graph of imports', () => {
  it.each([
    ['of a file that imports itself', { a: ['a'] }, [['a']]],
    ['of two files', { a: ['b'], b: ['a'] }, [['a', 'b']]],
    [
      'of three files, behind one that is not part of it',
      { a: ['b'], b: ['c'], c: ['d'], d: ['b'] },
      [['b', 'c', 'd']],
    ],
    ['in each of two places', { a: ['b'], b: ['a'], c: ['d'], d: ['c'] }, [['a', 'b'], ['c', 'd']]], // oxfmt-ignore
  ])('has a circle %s', (_where, graph, circles) => {
    expect(circlesIn(new Map(Object.entries(graph)))).toEqual(circles)
  })

  it.each([
    ['two files import the same one', { a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }],
    ['a file is imported that is no source', { a: ['b'] }],
  ])('has none where %s', (_where, graph) => {
    expect(circlesIn(new Map(Object.entries(graph)))).toEqual([])
  })
})

describe('the project', () => {
  const graph = new Map(sources.map((file) => [file, importsOf(file)]))
  const named = (files) => files.map((file) => relative(inRoot(), file))

  it('imports files that there are', () => {
    expect(graph.size).toBeGreaterThan(0)
    const missing = [...graph].flatMap(([file, imported]) =>
      imported.filter((path) => !existsSync(path)).map((path) => named([file, path]).join(' imports ')),
    )
    expect(missing).toEqual([])
  })

  it.each([
    ['a type alone', 'backend/src/modules/access/policy.ts', 'backend/src/modules/identity/caller.ts'],
    ['a package of the project', 'backend/src/modules/access/policy.ts', 'protocol/src/index.ts'],
    ['a component', 'frontend/src/main.ts', 'frontend/src/App.vue'],
    ['a file by the name that the front end has for it', 'frontend/src/App.vue', 'frontend/src/stores/shell/start.ts'],
  ])('is read with the import of %s', (_what, importer, imported) => {
    expect(named(graph.get(inRoot(importer)))).toContain(imported)
  })

  it('has no circle of imports', () => {
    expect(circlesIn(graph).map((circle) => named(circle).join(' -> '))).toEqual([])
  })
})
