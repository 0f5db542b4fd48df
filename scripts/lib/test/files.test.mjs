import { basename, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { inRoot } from '../paths.mjs'
import { backendTests, endToEndTests, testsBelow } from './files.mjs'

const names = (files) => files.map((file) => relative(inRoot(), file))

describe('the tests of the backend', () => {
  const kinds = backendTests()

  it('are each of one kind', () => {
    const all = Object.values(kinds).flat()
    expect(all.toSorted()).toEqual(testsBelow('backend'))
    expect(new Set(all).size).toBe(all.length)
  })

  it.each([
    ['unit', 'batches.test.ts', 'it reaches neither'],
    ['database', 'users.test.ts', 'it has a server, which is on a database'],
    ['database', 'held-user.test.ts', 'it connects to PostgreSQL itself'],
    ['engine', 'runtime.test.ts', 'it has containers'],
    ['engine', 'stop-signals.test.ts', 'it starts the whole server as a process'],
  ])('are of the kind %s: %s, because %s', (kind, name) => {
    expect(kinds[kind].map((file) => basename(file))).toContain(name)
  })
})

describe('the end-to-end tests', () => {
  it('are each with a browser or without, but for those of the deployment', () => {
    const { browser, clients } = endToEndTests()
    const all = [...browser, ...clients, ...testsBelow('e2e', 'deployment')]
    expect(all.toSorted()).toEqual(testsBelow('e2e'))
    expect(names(browser)).toContain('e2e/browser/files/files.test.ts')
    expect(names(clients)).toContain('e2e/protocol/silence.test.ts')
  })
})
