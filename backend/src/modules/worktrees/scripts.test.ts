/** Worktrees of real git: what is refused, what is copied, what runs, and how their commits come back. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { spawn } from 'node:child_process'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { NAMES, put, type Tree, useRealGit } from '../../../test/support/git/real-git.ts'
import { endedIn, ending, looking, NO_COMMIT, NO_WORK_TREE, NOT_BUSY, takenBackIn, takingBack } from './program.ts'

const { home, root, git, attempt, run, newRepository, make, newTree } = useRealGit()
const exitOf = async (...args: Parameters<typeof make>): Promise<number | null> => (await make(...args)).exitCode
const end = async (tree: Tree, wish: 'if-clean' | 'always') => endedIn((await run(ending(tree, wish))).stdout)
const look = async (tree: Tree): Promise<string> =>
  (await run(looking(tree.id, [tree]))).stdout.toString().split(' ')[1]!
const read = (tree: string, name: string): string => readFileSync(join(tree, name), 'utf8')
const commit = (tree: string, name: string, content: string): void => {
  put(tree, name, content)
  git(tree, 'add', '-A')
  git(tree, 'commit', '-qm', `${name} is ${content}`)
}
/** Removes the content of a file from the repository, so that git cannot write it. */
const lose = (repository: string, file: string, place = repository): void => {
  const id = git(place, 'rev-parse', file).trim()
  rmSync(join(repository, '.git/objects', id.slice(0, 2), id.slice(2)))
}
/** The exit codes for another git that works there, and for files that could not be written, or not put back either. */
const [GIT_AT_WORK, NOT_WRITTEN, HALF_WRITTEN] = [31, 50, 51]

describe('a worktree', () => {
  it('is made of a work tree with a commit alone, in the home', async () => {
    const plain = join(home, 'plain')
    mkdirSync(plain)
    expect(await exitOf(plain)).toBe(NO_WORK_TREE)
    expect(await exitOf(join(home, 'missing'))).toBe(NO_WORK_TREE)
    git(plain, 'init', '-q', '--bare', 'bare')
    expect(await exitOf(join(plain, 'bare'))).toBe(NO_WORK_TREE)
    git(plain, 'init', '-q', 'unborn')
    expect(await exitOf(join(plain, 'unborn'))).toBe(NO_COMMIT)
    const repository = newRepository()
    expect(await exitOf(repository, { root: '/tmp' })).toBe(32)
    symlinkSync('/tmp', join(home, 'outside'))
    expect(await exitOf(repository, { root: join(home, 'outside/trees') })).toBe(32)
    expect(git(repository, 'worktree', 'list').trim().split('\n')).toHaveLength(1)
  })

  it('has the files of the commit, and the folder of the task, also from another worktree', async () => {
    const repository = newRepository()
    put(repository, 'a', 'not committed')
    const tree = await newTree(join(repository, 'd'))
    expect(tree).toMatchObject({ folder: join(tree.path, 'd'), repository, branch: 'refs/heads/main' })
    for (const name of NAMES) expect(read(tree.path, name)).toBe(`first ${name}`)
    expect(git(tree.path, 'status', '--porcelain')).toBe('')
    const second = await newTree(tree.folder)
    expect(second).toMatchObject({ common: tree.common, branch: null, repository: tree.path })
    expect(await look(tree)).toBe('clean')
  })

  it('is made only if another program or task works in the same work tree, where it is asked for so', async () => {
    const repository = newRepository()
    const onlyIfBusy = true
    expect(await exitOf(repository, { onlyIfBusy, active: [home] })).toBe(NOT_BUSY)
    expect(await exitOf(repository, { onlyIfBusy, active: [join(repository, 'd')] })).toBe(0)
    const shell = spawn('sleep', ['1000'], { cwd: join(repository, 'd') })
    expect(await exitOf(repository, { onlyIfBusy })).toBe(0)
    shell.kill()
  })

  it('has a configuration of its own, and keeps its hooks where another one changes the common ones', async () => {
    const repository = newRepository()
    const tree = await newTree(repository)
    git(repository, 'config', 'core.hooksPath', '/elsewhere')
    git(tree.path, 'config', '--worktree', 'user.signingKey', 'mine')
    expect(git(tree.path, 'config', 'core.hooksPath').trim()).toBe(join(repository, '.git/hooks'))
    expect(attempt(repository, 'config', 'user.signingKey')).toBe(false)
  })

  it('gets the ignored files that .worktreeinclude names, and none through a link', async () => {
    const repository = newRepository()
    const outside = join(home, 'target')
    mkdirSync(outside)
    symlinkSync(outside, join(repository, 'link'))
    put(repository, '.worktreeinclude', 'env.ignored\nbuild/\nlink/\nnew\n')
    git(repository, 'add', '-A')
    git(repository, 'commit', '-qm', 'link')
    for (const name of ['env.ignored', 'build/deep/x', 'other.ignored', 'new']) put(repository, name, name)
    put(repository, 'link/x.ignored', 'through')
    const { path } = await newTree(repository)
    const has = (name: string): boolean => existsSync(join(path, name))
    expect(['env.ignored', 'build/deep/x', 'other.ignored', 'new'].map(has)).toEqual([true, true, false, false])
    expect(existsSync(join(outside, 'x.ignored'))).toBe(false)
  })

  it('runs nothing of a hostile repository: no hook, filter, fsmonitor or merge driver', async () => {
    const repository = newRepository()
    const [sprung, trap] = [join(home, 'sprung'), join(repository, '.git/trap')]
    writeFileSync(trap, `#!/bin/sh\ntouch ${sprung}\n`, { mode: 0o755 })
    put(repository, '.gitattributes', '* filter=evil merge=evil diff=evil')
    git(repository, 'add', '-A')
    git(repository, 'commit', '-qm', 'two')
    for (const hook of ['post-checkout', 'reference-transaction', 'post-index-change', 'pre-commit', 'post-merge']) {
      writeFileSync(join(repository, '.git/hooks', hook), `#!/bin/sh\ntouch ${sprung}\n`)
      chmodSync(join(repository, '.git/hooks', hook), 0o755)
    }
    for (const key of [
      'core.fsmonitor',
      'filter.evil.smudge',
      'filter.evil.clean',
      'filter.evil.process',
      'merge.evil.driver',
      'diff.evil.textconv',
    ])
      git(repository, 'config', '-f', '.git/config', key, trap)
    const tree = await newTree(repository)
    put(tree.path, 'a', 'changed')
    await look(tree)
    await run(takingBack(tree, 'refs/heads/main', { how: 'rebase' }, []))
    expect(await end(tree, 'always')).toMatchObject({ kept: null })
    expect(existsSync(sprung)).toBe(false)
  })

  it('is kept while a program works in it, and if it contains another repository', async () => {
    const tree = await newTree(newRepository())
    const shell = spawn('sleep', ['1000'], { cwd: tree.path })
    expect((await run(ending(tree, 'if-clean'))).exitCode).toBe(35)
    shell.kill()
    mkdirSync(join(tree.path, 'build'))
    git(join(tree.path, 'build'), 'init', '-q', 'inner')
    expect((await run(ending(tree, 'always'))).exitCode).toBe(36)
    expect(existsSync(join(tree.path, 'build/inner/.git'))).toBe(true)
    expect(git(tree.path, 'worktree', 'list')).toContain(basename(tree.path))
  })

  it('is removed if a user deleted its folder, and its commits are saved', async () => {
    const tree = await newTree(newRepository())
    commit(tree.path, 'a', 'saved')
    const head = git(tree.path, 'rev-parse', 'HEAD').trim()
    git(tree.repository, 'worktree', 'move', '--force', '--force', tree.path, join(root, 'moved'))
    expect((await run(ending(tree, 'always'))).exitCode).toBe(39)
    git(tree.repository, 'worktree', 'move', '--force', '--force', join(root, 'moved'), tree.path)
    rmSync(tree.path, { recursive: true })
    const { salvage } = await end(tree, 'if-clean')
    expect(git(tree.repository, 'rev-parse', `${salvage}`).trim()).toBe(head)
  })
})

describe('the commits of a worktree', () => {
  const takeBack = async (tree: Tree, how: 'merge' | 'rebase' | 'cherry_pick', commits?: string[]) => {
    const { exitCode, stdout } = await run(
      takingBack(tree, 'refs/heads/main', { how, ...(commits && { commits }) }, []),
    )
    return exitCode === 0 ? takenBackIn(stdout) : exitCode
  }
  const log = (repository: string): string[] => git(repository, 'log', '--format=%s', 'main').trim().split('\n')

  it('are merged into the branch with its files, beside changes that are not committed', async () => {
    const tree = await newTree(newRepository())
    const { repository } = tree
    commit(tree.path, 'a', 'of the tree')
    put(repository, 'b c', 'not committed')
    expect(await takeBack(tree, 'merge')).toMatchObject({ commit: git(tree.path, 'rev-parse', 'HEAD').trim() })
    commit(repository, 'd/e', 'of the branch')
    commit(tree.path, 'ü', 'of the tree')
    expect(await takeBack(tree, 'merge')).toMatchObject({ conflicts: [] })
    expect([read(repository, 'a'), read(repository, 'ü'), read(repository, 'd/e')]).toEqual([
      'of the tree',
      'of the tree',
      'of the branch',
    ])
    expect(git(repository, 'status', '--porcelain')).toBe('')
    expect(log(repository)[0]).toContain('Merge the worktree')
    expect(await takeBack(tree, 'merge')).toBe(41)
  })

  it('are put onto the branch one by one, or those that are named', async () => {
    const tree = await newTree(newRepository())
    const { repository } = tree
    commit(tree.path, 'a', 'first')
    const picked = git(tree.path, 'rev-parse', 'HEAD').trim()
    commit(tree.path, 'b c', 'second')
    commit(repository, 'd/e', 'of the branch')
    expect(await takeBack(tree, 'cherry_pick', [picked])).toMatchObject({ conflicts: [] })
    expect(log(repository)).toEqual(['a is first', 'd/e is of the branch', 'one'])
    expect(await takeBack(tree, 'rebase')).toMatchObject({ conflicts: [] })
    expect(log(repository)).toEqual(['b c is second', 'a is first', 'd/e is of the branch', 'one'])
    expect(git(repository, 'status', '--porcelain')).toBe('')
    expect(git(repository, 'log', '-1', '--format=%an <%ae>').trim()).toBe('Tester <tester@example.org>')
    expect(await takeBack(tree, 'cherry_pick', ['a'.repeat(40)])).toBe(42)
  })

  it('change nothing if they conflict, and the files are named', async () => {
    const tree = await newTree(newRepository())
    const { repository } = tree
    for (const name of ['a', 'line\nfeed']) {
      commit(tree.path, name, 'of the tree')
      commit(repository, name, 'of the branch')
    }
    const before = git(repository, 'rev-parse', 'main')
    expect(await takeBack(tree, 'merge')).toEqual({ commit: null, conflicts: ['a', 'line\nfeed'] })
    expect(await takeBack(tree, 'rebase')).toEqual({ commit: null, conflicts: ['a'] })
    expect([git(repository, 'rev-parse', 'main'), git(repository, 'status', '--porcelain')]).toEqual([before, ''])
    attempt(tree.path, 'merge', 'main')
    expect(await look(tree)).toBe('conflicted')
    expect(await takeBack(tree, 'merge')).toBe(40)
  })

  it('stay taken back if another program takes them back meanwhile, beside commits that it adds', async () => {
    const tree = await newTree(newRepository())
    const { repository } = tree
    commit(tree.path, 'a', 'of the tree')
    const who = '-c user.name=Other -c user.email=other@example.org'
    const script = `cd ${repository}; git merge -q --ff-only ${git(tree.path, 'rev-parse', 'HEAD').trim()}
      echo other >other; git add other; git ${who} commit -qm other`
    const back = takingBack(tree, 'refs/heads/main', { how: 'merge' }, [])
    expect((await run(back, 0, { at: 'worktree', script })).exitCode).toBe(44)
    expect(git(repository, 'status', '--porcelain')).toBe('')
    expect(log(repository)).toEqual(['other', 'a is of the tree', 'one'])
    expect([read(repository, 'a'), read(repository, 'other')]).toEqual(['of the tree', 'other\n'])
    expect(await takeBack(tree, 'merge')).toBe(41)
  })

  it.each(['read-tree', 'update-ref'])('come while no other git writes there, before %s', async (at) => {
    const tree = await newTree(newRepository())
    const { repository } = tree
    commit(tree.path, 'a', 'of the tree')
    const script = `cd ${repository}; ! git reset -q --hard 2>/dev/null`
    const back = takingBack(tree, 'refs/heads/main', { how: 'merge' }, [])
    expect((await run(back, 0, { at, script })).exitCode).toBe(0)
    expect([git(repository, 'status', '--porcelain'), read(repository, 'a')]).toEqual(['', 'of the tree'])
    put(repository, '.git/index.lock', '')
    commit(tree.path, 'a', 'again')
    expect(await takeBack(tree, 'merge')).toBe(GIT_AT_WORK)
    expect(existsSync(join(repository, '.git/index.lock'))).toBe(true)
  })

  it('are put away again if the branch moved and lacks them', async () => {
    const tree = await newTree(newRepository())
    const { repository } = tree
    commit(tree.path, 'a', 'of the tree')
    const script = `cd ${repository}; git update-ref refs/heads/main $(
      git -c user.name=Other -c user.email=other@example.org commit-tree -p main -m other 'main^{tree}')`
    const back = takingBack(tree, 'refs/heads/main', { how: 'merge' }, [])
    expect((await run(back, 0, { at: 'update-ref', script })).exitCode).toBe(44)
    expect([git(repository, 'status', '--porcelain'), read(repository, 'a')]).toEqual(['', 'first a'])
    expect(await takeBack(tree, 'merge')).toMatchObject({ conflicts: [] })
    expect(read(repository, 'a')).toBe('of the tree')
  })

  it('do not come where the work tree of the branch has changes in the same files', async () => {
    const tree = await newTree(newRepository())
    commit(tree.path, 'a', 'of the tree')
    put(tree.repository, 'a', 'not committed')
    expect(await takeBack(tree, 'merge')).toBe(43)
    expect(read(tree.repository, 'a')).toBe('not committed')
    expect(log(tree.repository)).toEqual(['one'])
    put(tree.path, 'a', 'not committed')
    expect(await takeBack(tree, 'merge')).toBe(40)
  })

  it('leave the work tree of the branch as it was if git cannot write all files, or say that it is not', async () => {
    const tree = await newTree(newRepository())
    const { repository } = tree
    put(tree.path, 'new/x', 'of the tree')
    commit(tree.path, 'a', 'of the tree')
    commit(tree.path, 'z', 'of the tree')
    put(repository, 'b c', 'not committed')
    lose(repository, 'HEAD:z', tree.path)
    expect(await takeBack(tree, 'merge')).toBe(NOT_WRITTEN)
    const state = () => [read(repository, 'a'), git(repository, 'status', '--porcelain'), ...log(repository)]
    expect(state()).toEqual(['first a', ' M "b c"\n', 'one'])
    expect(existsSync(join(repository, '.git/index.lock'))).toBe(false)
    lose(repository, 'main:a')
    expect(await takeBack(tree, 'merge')).toBe(HALF_WRITTEN)
    expect(log(repository)).toEqual(['one'])
  })
})
