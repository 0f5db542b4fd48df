import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { inRoot } from '../paths.mjs'
import { Imports } from './imports.mjs'

const folder = mkdtempSync(join(tmpdir(), 'slipway-imports-'))
afterAll(() => rmSync(folder, { recursive: true }))

const at = (name) => join(folder, name)
const write = (name, ...lines) => {
  mkdirSync(dirname(at(name)), { recursive: true })
  writeFileSync(at(name), `${lines.join('\n')}\n`)
}
/** What a source with these lines loads, without itself. */
const loadedBy = (lines, options) => {
  write('source.ts', ...[lines].flat())
  const { files, packages } = new Imports().reachedFrom(at('source.ts'), options)
  return [...[...files].filter((file) => file !== at('source.ts')), ...packages]
}

describe('what a source loads', () => {
  write('a.ts')
  write('b.vue')

  it.each([
    ['an import', "import { a } from './a.ts'"],
    ['an import over several lines', ['import {', '  a,', '  type B,', "} from './a.ts'"]],
    ['an import of everything', "import * as a from './a.ts'"],
    ['an import for what it does', "import './a.ts'"],
    ['an export of its parts', "export { a } from './a.ts'"],
    ['an export of all of it', "export * from './a.ts'"],
    ['an import that comes later', "const a = await import('./a.ts')"],
    ['a worker', "new Worker(new URL('./a.ts', import.meta.url))"],
    ['an import behind one of a type', ["import type { B } from './b.vue'", "import { a } from './a.ts'"]],
  ])('is a file by %s', (_how, lines) => {
    expect(loadedBy(lines)).toEqual([at('a.ts')])
  })

  it.each([
    ['a type alone', "import type { A } from './a.ts'"],
    ['a type that is handed on', "export type { A } from './a.ts'"],
    ['a type over several lines', ['import type {', '  A,', "} from './a.ts'"]],
    ['a file that is not there', "import { a } from './c.ts'"],
    ['a text like a path', "const text = 'from ./a.ts'"],
  ])('is not %s', (_what, lines) => {
    expect(loadedBy(lines, { named: true })).toEqual([])
  })

  it.each([
    ["import { a } from 'a'", 'a'],
    ["import { a } from 'a/part.js'", 'a'],
    ["import a from '@b/a'", '@b/a'],
    ["import a from '@b/a/part'", '@b/a'],
    ["import { join } from 'node:path'", 'node:path'],
  ])('is a package by its name: %s', (line, name) => {
    expect(loadedBy(line)).toEqual([name])
  })

  it.each([
    ["import { a } from '@slipway/protocol'", 'protocol/src/index.ts'],
    ["import { a } from '@slipway/emulator/headless'", 'emulator/src/headless/index.ts'],
    ["import { a } from '@/main.ts'", 'frontend/src/main.ts'],
  ])('is a file of the workspace: %s', (line, path) => {
    expect(loadedBy(line)).toContain(inRoot(path))
  })

  it('is a component of a page', () => {
    write('page.vue', '<script setup lang="ts">', "import { a } from './a.ts'", '</script>')
    expect(loadedBy("import Page from './page.vue'")).toEqual([at('page.vue'), at('a.ts')])
  })

  it('is all that this loads, however they import one another', () => {
    write('one.ts', "import './two.ts'", "import 'a'")
    write('two.ts', "import './one.ts'", "import 'b'")
    expect(loadedBy("import './one.ts'").sort()).toEqual(['a', 'b', at('one.ts'), at('two.ts')].sort())
  })

  it('is a program that it starts only where that is asked for', () => {
    write('main.ts', "import 'dockerode'")
    const starts = "spawn(process.execPath, [join(import.meta.dirname, './main.ts')])"
    expect(loadedBy(starts)).toEqual([])
    expect(loadedBy(starts, { named: true })).toEqual([at('main.ts'), 'dockerode'])
  })
})
