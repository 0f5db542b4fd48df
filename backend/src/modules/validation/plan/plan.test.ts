import { PACKAGE_MANAGERS, type PackageManager } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import type { Facts, Manifest } from './facts.ts'
import { PACKAGES_MAX, planOf } from './plan.ts'

const manifest = (more: Partial<Manifest> = {}): Manifest => ({
  name: null,
  packageManager: null,
  hasWorkspaces: false,
  hasDependencies: false,
  isInstalled: false,
  scripts: { build: 'tsc', test: 'vitest run' },
  ...more,
})
const facts = (more: Partial<Facts> = {}): Facts => ({
  root: '/home/developer/app',
  prefix: '',
  manifests: { '': manifest() },
  truncated: false,
  files: ['package-lock.json'],
  programs: [...PACKAGE_MANAGERS],
  command: null,
  ...more,
})
const workspace = (manager: PackageManager, packages: Record<string, Manifest | null>, root: Partial<Manifest> = {}) =>
  facts({
    files: [],
    manifests: { '': manifest({ hasWorkspaces: true, packageManager: manager, ...root }), ...packages },
  })
const plan = (found: Facts, changed: string[] | null = null, command: string | null = null) =>
  planOf(found, { command, changed })
const argvs = (found: Facts, changed: string[] | null = null): string[][] =>
  plan(found, changed).evidence.checks.map(({ argv }) => argv)

describe("a person's command", () => {
  it('of the project comes before everything that could be found, and is run by a shell', () => {
    const { evidence, reason } = plan(facts({ command: 'make check && make lint' }), ['a'])
    expect(evidence).toMatchObject({ kind: 'command', manager: null })
    expect(evidence.checks).toMatchObject([
      { argv: ['sh', '-c', 'make check && make lint'], folder: '', kind: 'command' },
    ])
    expect(reason).toBeNull()
  })

  it('of the request comes before the one of the project', () => {
    const { evidence } = plan(facts({ command: 'make check' }), null, 'true')
    expect(evidence.checks.map(({ argv }) => argv)).toEqual([['sh', '-c', 'true']])
  })

  it('needs neither a readable package.json nor a manager', () => {
    expect(plan(facts({ manifests: {} }), null, 'true').reason).toBeNull()
    expect(plan(facts({ manifests: { '': null }, programs: [] }), null, 'true').reason).toBeNull()
  })
})

describe('a simple project', () => {
  it('runs build and test of the root with its manager', () => {
    expect(argvs(facts())).toEqual([
      ['npm', 'run', 'build'],
      ['npm', 'run', 'test'],
    ])
    expect(argvs(facts({ files: [] }))).toEqual([
      ['pnpm', 'run', 'build'],
      ['pnpm', 'run', 'test'],
    ])
  })

  it('runs them whatever has changed', () => {
    expect(plan(facts(), []).evidence).toMatchObject({ kind: 'root', checks: [{ package: '' }, { package: '' }] })
  })

  it('runs the one that it has', () => {
    expect(argvs(facts({ manifests: { '': manifest({ scripts: { test: 'node --test' } }) } }))).toEqual([
      ['npm', 'run', 'test'],
    ])
  })

  it('is not verified without either, and the test script of npm init is none', () => {
    const init = 'echo "Error: no test specified" && exit 1'
    for (const scripts of [{}, { test: init }])
      expect(plan(facts({ manifests: { '': manifest({ scripts }) } }))).toMatchObject({ reason: 'no_scripts' })
  })
})

describe('a monorepo', () => {
  const packages = {
    'packages/a': manifest({ name: 'a' }),
    'packages/b': manifest({ name: '@scope/b' }),
    'packages/b/inner': manifest({ name: 'inner' }),
  }

  it('is a root with workspaces, or one with pnpm-workspace.yaml', () => {
    expect(plan(workspace('npm', packages), ['packages/a/x']).evidence.kind).toBe('packages')
    const byFile = facts({ files: ['pnpm-workspace.yaml'], manifests: { '': manifest(), ...packages } })
    expect(plan(byFile, ['packages/a/x']).evidence).toMatchObject({ kind: 'packages', manager: 'pnpm' })
    expect(plan(facts({ manifests: { '': manifest(), ...packages } }), ['packages/a/x']).evidence.kind).toBe('root')
  })

  it('runs the scripts of the changed packages only, each found by the nearest package.json', () => {
    const changed = ['packages/b/inner/src/deep/x.ts', 'packages/a/x.ts', 'packages/a/y.ts']
    const { checks } = plan(workspace('yarn', packages), changed).evidence
    expect(checks.map(({ package: of, kind }) => [of, kind])).toEqual([
      ['packages/a', 'build'],
      ['packages/a', 'test'],
      ['packages/b/inner', 'build'],
      ['packages/b/inner', 'test'],
    ])
  })

  it('runs them with yarn workspace, as the seed says', () => {
    expect(argvs(workspace('yarn', packages), ['packages/b/x'])).toEqual([
      ['yarn', 'workspace', '@scope/b', 'build'],
      ['yarn', 'workspace', '@scope/b', 'test'],
    ])
  })

  it('runs them with npm, pnpm and bun in their ways', () => {
    const test = (manager: PackageManager) =>
      plan(workspace(manager, packages), ['packages/a/x']).evidence.checks.map(({ argv, folder }) => [argv, folder])[1]
    expect(test('npm')).toEqual([['npm', 'run', 'test', '--workspace=a'], ''])
    expect(test('pnpm')).toEqual([['pnpm', '--filter=a', '--fail-if-no-match', 'run', 'test'], ''])
    expect(test('bun')).toEqual([['bun', 'run', 'test'], 'packages/a'])
  })

  it('falls back to test-packages of the root for a package without a test', () => {
    const found = (manager: PackageManager) =>
      workspace(
        manager,
        { 'packages/a': manifest({ name: 'a', scripts: { build: 'tsc' } }) },
        { scripts: { 'test-packages': 'vitest run' } },
      )
    expect(argvs(found('yarn'), ['packages/a/x'])).toEqual([
      ['yarn', 'workspace', 'a', 'build'],
      ['yarn', 'test-packages', 'packages/a'],
    ])
    expect(argvs(found('npm'), ['packages/a/x'])[1]).toEqual(['npm', 'run', 'test-packages', '--', 'packages/a'])
    expect(argvs(found('pnpm'), ['packages/a/x'])[1]).toEqual(['pnpm', 'run', 'test-packages', 'packages/a'])
  })

  it('does not fall back to test-packages for a package with a test', () => {
    const found = workspace('yarn', packages, { scripts: { 'test-packages': 'vitest run' } })
    expect(argvs(found, ['packages/a/x']).flat()).not.toContain('test-packages')
  })

  it('runs the scripts of the root for a file that is in no other package', () => {
    expect(argvs(workspace('npm', packages), ['README.md'])).toEqual([
      ['npm', 'run', 'build'],
      ['npm', 'run', 'test'],
    ])
  })

  it('runs the scripts of the root if the changes are not known', () => {
    expect(plan(workspace('npm', packages), null).evidence.kind).toBe('root')
  })

  it('is not verified where no package has changed, or too many have', () => {
    expect(plan(workspace('npm', packages), []).reason).toBe('nothing_changed')
    const many = Array.from({ length: PACKAGES_MAX + 1 }, (_, at) => `packages/${at}`)
    const found = workspace('npm', Object.fromEntries(many.map((folder) => [folder, manifest()])))
    expect(
      plan(
        found,
        many.map((folder) => `${folder}/x`),
      ).reason,
    ).toBe('too_many_packages')
  })

  it('below the top of the work tree has only its own files', () => {
    const found = { ...workspace('npm', packages), prefix: 'web' }
    const { checks } = plan(found, ['web/packages/a/x', 'server/main.go', 'webby/x']).evidence
    expect(new Set(checks.map(({ package: of }) => of))).toEqual(new Set(['packages/a']))
  })

  it('names no package by a name that a manager would read as something else', () => {
    for (const name of ['--version', 'a\nb', 'a...', '../x', '*', 'a b', './a', null]) {
      const { checks } = plan(workspace('yarn', { 'packages/a': manifest({ name }) }), ['packages/a/x']).evidence
      expect(checks.map(({ argv, folder }) => [argv, folder])).toEqual([
        [['yarn', 'run', 'build'], 'packages/a'],
        [['yarn', 'run', 'test'], 'packages/a'],
      ])
    }
  })
})

describe('nothing is run, and the reason is told', () => {
  const root = (more: Partial<Manifest>, others: Partial<Facts> = {}) =>
    plan(facts({ manifests: { '': manifest(more) }, ...others }))

  it('without a package.json, or with one that cannot be read', () => {
    expect(plan(facts({ manifests: {} })).reason).toBe('no_package')
    expect(plan(facts({ manifests: { '': null } })).reason).toBe('unreadable')
    expect(plan(workspace('npm', { a: null }), ['a/x']).reason).toBe('unreadable')
  })

  it('without the manager', () => {
    expect(root({}, { programs: ['pnpm'] })).toMatchObject({ reason: 'manager_missing', evidence: { manager: 'npm' } })
  })

  it('if the dependencies are not installed', () => {
    expect(root({ hasDependencies: true }).reason).toBe('dependencies_missing')
    expect(root({ hasDependencies: true, isInstalled: true }).reason).toBeNull()
    expect(root({ hasDependencies: true }, { files: ['yarn.lock', '.pnp.cjs'] }).reason).toBeNull()
  })

  it('if a script would watch', () => {
    for (const test of ['jest --watch', 'jest --watchAll', 'vitest --watch=true', 'nodemon test.js'])
      expect(root({ scripts: { test } }).reason).toBe('watch_mode')
    for (const test of ['vitest --watch=false', 'jest --watchAll=false', 'vitest', 'jest --watchman'])
      expect(root({ scripts: { test } }).reason).toBeNull()
  })
})
