/** Removes worktrees of real git with random histories. The script is killed at random steps and run again. */
import { chmodSync, existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isLongForm } from '@slipway/testing/forms'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NAMES, put, useRealGit } from '../../../test/support/git/real-git.ts'
import { endedIn, ending } from './program.ts'

const { root, git, attempt, run, newRepository, newTree } = useRealGit()
/** More steps than a removal has. */
const STEPS_MAX = 70

/** A repository with a second branch that conflicts with the first one. */
const withConflict = (): string => {
  const repository = newRepository()
  git(repository, 'checkout', '-qb', 'other')
  put(repository, 'a', 'of the other branch')
  git(repository, 'commit', '-qam', 'other')
  git(repository, 'checkout', '-q', 'main')
  return repository
}

/** One step of a history. */
type Step = (tree: string, name: string, content: string) => void
const HISTORY: Readonly<Record<string, Step>> = {
  edit: put,
  create: (tree, name, content) => put(tree, `new ${name}`, content),
  ignore: (tree, name, content) => put(tree, `build/${name}.ignored`, content),
  delete: (tree, name) => rmSync(join(tree, name), { recursive: true, force: true }),
  rename: (tree, name) => void attempt(tree, 'mv', '--', name, `moved ${name.replace('/', '-')}`),
  link: (tree, name) => {
    rmSync(join(tree, name), { recursive: true, force: true })
    symlinkSync('/nowhere', join(tree, name))
  },
  folder: (tree, name, content) => put(tree, `${name}/inside`, content),
  mode: (tree, name) => existsSync(join(tree, name)) && chmodSync(join(tree, name), 0o755),
  stage: (tree) => attempt(tree, 'add', '-A'),
  commit: (tree) => attempt(tree, 'commit', '-qam', 'more', '--allow-empty'),
  amend: (tree, _name, content) => attempt(tree, 'commit', '-qam', content, '--amend', '--allow-empty'),
  reset: (tree) => attempt(tree, 'reset', '-q', '--soft', 'HEAD~1'),
  stash: (tree) => attempt(tree, 'stash', 'push', '-u', '-q'),
  pop: (tree) => attempt(tree, 'stash', 'pop', '-q'),
  branch: (tree, _name, content) => attempt(tree, 'checkout', '-qb', `branch-${content}`),
  orphan: (tree, _name, content) => attempt(tree, 'checkout', '-q', '--orphan', `orphan-${content}`),
  merge: (tree) => attempt(tree, 'merge', '-q', 'other'),
  rebase: (tree) => attempt(tree, 'rebase', '-q', 'other'),
  hide: (tree, name, content) => {
    attempt(tree, 'update-index', '--assume-unchanged', '--', name)
    put(tree, name, content)
  },
  skip: (tree, name, content) => {
    attempt(tree, 'update-index', '--skip-worktree', '--', name)
    put(tree, name, content)
  },
}
const history = fc.array(
  fc.record({
    step: fc.constantFrom(...Object.keys(HISTORY)),
    name: fc.constantFrom(...NAMES),
    content: fc.stringMatching(/^[a-z]{1,8}$/),
  }),
  { maxLength: isLongForm ? 25 : 12 },
)

/** The files of a work tree with their bytes. */
const filesOf = (tree: string, under = ''): Map<string, string> => {
  const found = new Map<string, string>()
  for (const name of existsSync(join(tree, under)) ? readdirSync(join(tree, under)) : []) {
    const path = join(under, name)
    if (path === '.git') continue
    const stat = lstatSync(join(tree, path))
    if (stat.isDirectory()) for (const [inner, bytes] of filesOf(tree, path)) found.set(inner, bytes)
    else
      found.set(path, stat.isSymbolicLink() ? readlinkSync(join(tree, path)) : readFileSync(join(tree, path), 'utf8'))
  }
  return found
}
/** The files of a commit with their bytes. */
const committed = (repository: string, commit: string): Map<string, string> => {
  const entries = git(repository, 'ls-tree', '-rz', commit).split('\0').filter(Boolean)
  return new Map(
    entries.map((entry) => [
      entry.slice(entry.indexOf('\t') + 1),
      git(repository, 'cat-file', 'blob', entry.split(/\s/)[2]!),
    ]),
  )
}
/** Null for a branch without a commit. */
const headOf = (tree: string): string | null => {
  try {
    return git(tree, 'rev-parse', '--quiet', '--verify', 'HEAD^{commit}').trim()
  } catch {
    return null
  }
}
const salvaged = (repository: string): string[] =>
  git(repository, 'for-each-ref', '--format=%(refname)', 'refs/slipway/salvage').split('\n').filter(Boolean)
const isCommit = (repository: string, id: string): boolean => {
  try {
    return git(repository, 'cat-file', '-t', id) === 'commit\n'
  } catch {
    return false
  }
}

describe('the removal of a worktree', () => {
  it('loses no byte of any history, wherever it is killed', { timeout: 3_600_000 }, async () => {
    const kills = fc.array(fc.integer({ min: 1, max: STEPS_MAX }), { maxLength: 3 })
    const property = fc.asyncProperty(history, kills, fc.boolean(), async (steps, killed, onlyIfClean) => {
      const { id, path, common, base, repository } = await newTree(withConflict())
      const commits = new Set([base])
      for (const { step, name, content } of steps) {
        HISTORY[step]?.(path, name, content)
        const head = headOf(path)
        if (head !== null) commits.add(head)
      }
      const stashes = git(path, 'stash', 'list', '--format=%H').split('\n').filter(Boolean)
      const before = filesOf(path)
      const moved = join(root, `.removing-${basename(path)}`)
      const wish = onlyIfClean ? 'if-clean' : 'always'
      for (const step of killed) {
        await run(ending({ id, path, common, base }, wish), step)
        const there = filesOf(existsSync(path) ? path : moved)
        const saved = salvaged(repository).map((ref) => committed(repository, ref))
        for (const [file, bytes] of before)
          expect(there.get(file) === bytes || saved.some((files) => files.get(file) === bytes)).toBe(true)
      }
      const { exitCode, stdout } = await run(ending({ id, path, common, base }, wish))
      expect(exitCode).toBe(0)
      git(repository, 'gc', '-q', '--prune=now')
      for (const commit of [...commits, ...stashes]) expect(isCommit(repository, commit)).toBe(true)
      if (endedIn(stdout).kept !== null) expect(filesOf(path)).toEqual(before)
      else {
        expect(existsSync(path) || existsSync(moved)).toBe(false)
        expect(git(repository, 'worktree', 'list').trim().split('\n')).toHaveLength(1)
        expect(salvaged(repository).some((ref) => isSame(committed(repository, ref), before))).toBe(true)
      }
      rmSync(repository, { recursive: true })
    })
    await fc.assert(property, { numRuns: isLongForm ? 100 : 4 })
  })
})

const isSame = (one: Map<string, string>, other: Map<string, string>): boolean =>
  one.size === other.size && [...one].every(([name, bytes]) => other.get(name) === bytes)
