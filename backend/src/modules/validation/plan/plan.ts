/** Decides what a validation runs: seed rules of resolution, without any input or output. */
import { posix } from 'node:path'
import type { ValidationCheck, PackageManager, ValidationEvidence, ValidationReason } from '@slipway/protocol'
import { type Facts, type Manifest, PLUG_AND_PLAY, PNPM_WORKSPACE } from './facts.ts'
import { managerOf } from './manager.ts'

/** Most packages of one validation. */
export const PACKAGES_MAX = 16

/** What to run, or why nothing does. */
export interface ValidationPlan {
  readonly evidence: ValidationEvidence
  /** Null: its checks are to be run. */
  readonly reason: ValidationReason | null
}

/** A command to run. */
type Planned = Pick<ValidationCheck, 'argv' | 'folder' | 'kind' | 'package'>

/** Evidence of nothing. */
export const NO_EVIDENCE: ValidationEvidence = { root: null, kind: null, manager: null, managerFrom: null, checks: [] }

/**
 * The names of packages that are safe as an argument of every manager: no option, no pattern and no path.
 * `...` is pnpm's for the packages that a package needs.
 */
const PLAIN_NAME = /^(?!.*\.\.\.)(?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*$/i
/** The script that `npm init` writes where there are no tests. */
const PLACEHOLDER = /^echo "Error: no test specified" && exit 1$/
/** A runner that would wait for changes, and never end. */
const WATCHES = /(?:^|\s)(?:--watch(?:-?all)?(?=\s|$)|--watch(?:-?all)?=true\b|nodemon\s)/i

/**
 * The first that applies: a person's command, the packages of a monorepo that changed, the scripts of the root. `changed`
 * are the changed files, relative to the top of the work tree; null if they are not known.
 */
export const planOf = (
  facts: Facts,
  { command, changed }: { readonly command: string | null; readonly changed: readonly string[] | null },
): ValidationPlan => {
  const { root, files, manifests } = facts
  const person = command ?? facts.command
  if (person !== null) {
    const check = planned({ argv: ['sh', '-c', person], folder: '', kind: 'command', package: '' })
    return { evidence: { ...NO_EVIDENCE, root, kind: 'command', checks: [check] }, reason: null }
  }
  const top = manifests['']
  if (top === undefined) return { evidence: NO_EVIDENCE, reason: 'no_package' }
  if (top === null) return { evidence: { ...NO_EVIDENCE, root }, reason: 'unreadable' }
  const present = new Set(files)
  const { manager, from } = managerOf(top.packageManager, present)
  const isMonorepo = top.hasWorkspaces || present.has(PNPM_WORKSPACE)
  const packages = isMonorepo && changed !== null ? packagesOf(facts, changed) : null
  const found = packages ?? ['']
  const evidence: ValidationEvidence = {
    root,
    kind: packages === null ? 'root' : 'packages',
    manager,
    managerFrom: from,
    checks: [],
  }
  const refused = (reason: ValidationReason): ValidationPlan => ({ evidence, reason })
  if (facts.truncated || found.length > PACKAGES_MAX) return refused('too_many_packages')
  if (found.length === 0) return refused('nothing_changed')
  if (found.some((folder) => manifests[folder] === null)) return refused('unreadable')
  const commands = found.flatMap((folder) => checksOf({ manager, top, folder, manifest: manifests[folder] ?? top }))
  if (commands.length === 0) return refused('no_scripts')
  evidence.checks.push(...commands.map(planned))
  if (commands.some(({ script }) => WATCHES.test(script))) return refused('watch_mode')
  if (!facts.programs.includes(manager)) return refused('manager_missing')
  if (!present.has(PLUG_AND_PLAY) && found.some((folder) => lacksDependencies(manifests[folder] ?? top, top)))
    return refused('dependencies_missing')
  return { evidence, reason: null }
}

/** The folders of the packages that changed: of each file, the nearest one with a package.json. In their order. */
const packagesOf = ({ manifests, prefix }: Facts, changed: readonly string[]): string[] => {
  const found = new Set<string>()
  for (const path of changed) {
    const inRoot = prefix === '' ? path : posix.relative(prefix, path)
    if (inRoot === '..' || inRoot.startsWith('../')) continue
    let folder = posix.dirname(inRoot)
    while (folder !== '.' && !Object.hasOwn(manifests, folder)) folder = posix.dirname(folder)
    found.add(folder === '.' ? '' : folder)
  }
  return [...found].toSorted()
}

const lacksDependencies = (manifest: Manifest, top: Manifest): boolean =>
  (manifest.hasDependencies || top.hasDependencies) && !manifest.isInstalled && !top.isInstalled

const scriptOf = ({ scripts }: Manifest, name: 'build' | 'test' | 'test-packages'): string | null => {
  const script = scripts[name] ?? null
  return script !== null && PLACEHOLDER.test(script.trim()) ? null : script
}

interface Package {
  readonly manager: PackageManager
  readonly top: Manifest
  /** Empty for the root. */
  readonly folder: string
  readonly manifest: Manifest
}

/** The build and the test of a package. Without a test of its own, the root's `test-packages`, if there is one. */
const checksOf = ({ manager, top, folder, manifest }: Package): (Planned & { readonly script: string })[] => {
  const own = (['build', 'test'] as const).flatMap((kind) => {
    const script = scriptOf(manifest, kind)
    const where = folder === '' ? { argv: [manager, 'run', kind], folder: '' } : scoped(manager, manifest, folder, kind)
    return script === null ? [] : [{ ...where, kind, package: folder, script }]
  })
  const fallback = folder === '' ? null : scriptOf(top, 'test-packages')
  if (fallback === null || own.some(({ kind }) => kind === 'test')) return own
  const argv = [...TEST_PACKAGES[manager], folder.startsWith('-') ? `./${folder}` : folder]
  return [...own, { argv, folder: '', kind: 'test', package: folder, script: fallback }]
}

const TEST_PACKAGES: Readonly<Record<PackageManager, readonly string[]>> = {
  npm: ['npm', 'run', 'test-packages', '--'],
  yarn: ['yarn', 'test-packages'],
  pnpm: ['pnpm', 'run', 'test-packages'],
  bun: ['bun', 'run', 'test-packages'],
}

/** A script of one package. A package whose name is none that every manager takes is run in its folder. */
const scoped = (
  manager: PackageManager,
  { name }: Manifest,
  folder: string,
  script: string,
): Pick<Planned, 'argv' | 'folder'> => {
  const inFolder = { argv: [manager, 'run', script], folder }
  if (name === null || !PLAIN_NAME.test(name)) return inFolder
  switch (manager) {
    case 'yarn':
      return { argv: ['yarn', 'workspace', name, script], folder: '' }
    case 'npm':
      return { argv: ['npm', 'run', script, `--workspace=${name}`], folder: '' }
    case 'pnpm':
      // Without the option, pnpm succeeds where no package has the name.
      return { argv: ['pnpm', `--filter=${name}`, '--fail-if-no-match', 'run', script], folder: '' }
    case 'bun':
      // With `--filter` it shortens the output of the tests.
      return inFolder
  }
}

const planned = ({ argv, folder, kind, package: of }: Planned): ValidationCheck => ({
  ...{ argv, folder, kind, package: of },
  after: null,
  before: null,
})
