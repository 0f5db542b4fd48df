import { describe, expect, it } from 'vitest'
import { inRoot } from '../paths.mjs'
import { formOf, forChange, select } from './selection.mjs'
import { suites } from './suites.mjs'

/** The choice in words: `unit` is all of the suite, `unit: 2` two of its tests. */
const inWords = (chosen) =>
  chosen.map(({ suite, files }) => (files === null ? suite.name : `${suite.name}: ${files.length}`))
const chosenBy = async (...args) => inWords(await select(args, suites))
const testsFor = (...paths) =>
  forChange(paths.map((path) => inRoot(path))).flatMap(({ suite, files }) =>
    suite.tests().length === 0 || files === null ? [suite.name] : files.map((file) => file.slice(inRoot().length)),
  )

describe('what is chosen', () => {
  it('is everything but the long suites where nothing is named', async () => {
    const long = ['deployment', 'guest', 'load', 'soak']
    const chosen = await select([], suites)
    expect(chosen.map(({ suite }) => suite.name)).toEqual(
      suites.map(({ name }) => name).filter((name) => !long.includes(name)),
    )
    // Of these suites some tests are in the long form as a whole.
    expect(chosen.filter(({ files }) => files !== null).map(({ suite }) => suite.name)).toEqual([
      ...['browser', 'engine', 'clients', 'database', 'unit'],
    ])
    const files = chosen.flatMap(({ files }) => files ?? [])
    expect(files).toContain(inRoot('e2e/browser/tasks/tasks.test.ts'))
    expect(files).not.toContain(inRoot('e2e/browser/tasks/webhooks.test.ts'))
    expect(await chosenBy('e2e/browser/tasks/webhooks.test.ts')).toEqual(['browser: 1'])
    expect(formOf([])).toEqual({})
  })

  it('is the long suites in the long form, and of the others the tests that have one', async () => {
    const chosen = await select(['--long'], suites)
    expect(chosen.filter(({ files }) => files === null).map(({ suite }) => suite.name)).toEqual([
      'deployment',
      'guest',
      'load',
      'soak',
    ])
    const files = chosen.flatMap(({ files }) => files ?? [])
    expect(files).toContain(inRoot('backend/test/rights/walk.test.ts'))
    expect(files).toContain(inRoot('e2e/browser/pages/accessible.test.ts'))
    expect(files).not.toContain(inRoot('backend/test/rights/on-the-way.test.ts'))
    expect(formOf(['--long'])).toEqual({ SLIPWAY_TEST_FORM: 'long' })
  })

  it('is what is named, also in the long form', async () => {
    expect(await chosenBy('--long', 'e2e/browser/files/files.test.ts', 'soak')).toEqual(['browser: 1', 'soak'])
  })

  it('leaves the long suites out of what a change concerns', () => {
    const names = forChange([inRoot('package-lock.json')], suites).map(({ suite }) => suite.name)
    expect(names).toContain('engine')
    expect(suites.filter(({ name }) => names.includes(name)).some(({ isLong }) => isLong)).toBe(false)
  })

  it.each(suites.map(({ name }) => name))('is a suite by its name: %s', async (name) => {
    expect(await chosenBy(name)).toEqual([name])
  })

  it.each([
    ['backend', ['engine', 'database', 'unit']],
    ['e2e', ['browser', 'clients']],
  ])('is all that a name means: %s', async (name, expected) => {
    expect(await chosenBy(name)).toEqual(expected)
  })

  it('is several suites, in their own order', async () => {
    expect(await chosenBy('types', 'lint')).toEqual(['lint', 'types'])
  })

  it.each([
    ['a folder', 'protocol/src', 'protocol'],
    ['a folder with its last slash', 'protocol/src/', 'protocol'],
    ['one from here', './protocol/src', 'protocol'],
    ['one by its whole path', inRoot('protocol/src'), 'protocol'],
  ])('is the tests of %s', async (_what, argument, suite) => {
    const [chosen, ...more] = await select([argument], suites)
    expect(more).toEqual([])
    expect(chosen.suite.name).toBe(suite)
    expect(chosen.files).toEqual(chosen.suite.tests())
  })

  it('is a test by its file, and all that begin like it', async () => {
    expect(await chosenBy('e2e/browser/files/files.test.ts')).toEqual(['browser: 1'])
    expect(await chosenBy('e2e/browser/terminal/steps')).toEqual(['browser: 3'])
  })

  it('is of a folder alone, not of those that begin like it', async () => {
    const [{ files }] = await select(['scripts/lib/test'], suites)
    expect(files.every((file) => file.startsWith(inRoot('scripts/lib/test/')))).toBe(true)
  })

  it('is each kind of a folder that has several', async () => {
    const names = (await select(['backend/src/modules/terminal'], suites)).map(({ suite }) => suite.name)
    expect(names).toEqual(['engine', 'database', 'unit'])
  })

  it('is each test once, however often it is named', async () => {
    expect(await chosenBy('e2e/browser/terminal/steps-size.test.ts', 'e2e/browser/terminal/steps')).toEqual([
      'browser: 3',
    ])
    expect(await chosenBy('e2e/browser/terminal', 'browser')).toEqual(['browser'])
    expect(await chosenBy('browser', 'e2e/browser/terminal')).toEqual(['browser'])
  })

  it.each(['nothing/there', 'docs', 'units', 'e2e/walk', 'backend/src/lib/time/clock.ts'])(
    'is never nothing: %s is refused with the suites there are',
    async (name) => {
      await expect(select(['lint', name], suites)).rejects.toThrow(
        new RegExp(`^${name} is no suite, and no test's path begins like it\\. The suites are lint, .*soak;`),
      )
    },
  )

  it.each(['--watch', '-t', '--change'])('is refused with an option that there is not: %s', async (option) => {
    await expect(select([option], suites)).rejects.toThrow(`there is no ${option};`)
  })

  it('is refused with a commit that there is not, and with more than one', async () => {
    await expect(select(['--changed', 'no-such-commit'], suites)).rejects.toThrow('git knows no commit no-such-commit')
    await expect(select(['--changed', 'HEAD', 'lint'], suites)).rejects.toThrow('lint is too much')
  })
})

/** This test reads every source. */
const IMPORT_CIRCLES = 'scripts/lib/checks/import-circles.test.mjs'

describe('what a change concerns', () => {
  it('is lint, the types of its package, and the tests that import it, over however many files', () => {
    const chosen = testsFor('backend/src/lib/batches.ts')
    expect(chosen.slice(0, 2)).toEqual(['lint', 'types'])
    expect(chosen).toContain('backend/src/lib/batches.test.ts')
    expect(chosen).not.toContain('backend/src/lib/garbage.test.ts')
  })

  it('is a test that is changed itself', () => {
    expect(testsFor('backend/src/lib/garbage.test.ts')).toEqual([
      'lint',
      'types',
      IMPORT_CIRCLES,
      'backend/src/lib/garbage.test.ts',
    ])
  })

  it('is the tests of other packages that import it', () => {
    const chosen = testsFor('protocol/src/errors.ts')
    expect(chosen).toContain('protocol/src/errors.test.ts')
    expect(chosen).toContain('frontend/src/terminal/session/link.test.ts')
    expect(chosen).toContain('backend/test/plugins/errors.test.ts')
  })

  it('is no test that only starts a program with it in a process of its own', () => {
    expect(testsFor('backend/src/main.ts').filter((path) => path.includes('.test.'))).toEqual([
      // This one reads it.
      'backend/src/lib/threads.test.ts',
      IMPORT_CIRCLES,
    ])
  })

  it('is a test that only reads it', () => {
    expect(testsFor('docs/adr/access/0003-sign-in.md')).toEqual(['lint', 'scripts/lib/checks/documents.test.mjs'])
    expect(testsFor('prisma/schema.prisma')).toEqual([
      'lint',
      'types',
      'database',
      'scripts/lib/checks/migrations.test.mjs',
    ])
  })

  it.each([
    ['backend/vitest.config.ts', ['engine', 'database', IMPORT_CIRCLES, 'unit']],
    ['e2e/vitest.config.ts', ['browser', 'clients', IMPORT_CIRCLES]],
  ])('is all of the suites that %s configures', (path, expected) => {
    expect(testsFor(path)).toEqual(['lint', 'types', ...expected])
  })

  it('is every suite that has tests where other dependencies are installed', () => {
    const withTests = suites.filter((suite) => !suite.isLong && suite.tests().length > 0).map(({ name }) => name)
    expect(inWords(forChange([inRoot('package-lock.json')]))).toEqual(['lint', 'types', ...withTests])
  })

  it('is lint alone for what no code imports', () => {
    expect(testsFor('docs/operating/grafana/dashboard.json')).toEqual(['lint'])
  })
})
