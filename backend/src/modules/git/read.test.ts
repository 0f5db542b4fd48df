/** What the pages of changes read of real repositories, by this machine's git. */
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fileId, useLocalGit } from '../../../test/support/git/local.ts'

const { home, found, reader, repository, sh, git, put } = useLocalGit()
const filesOf = async (repo: string, ignored = false) =>
  (await reader.status(found, { repository: repo, ignored })).files.map(({ path, oldPath, staged, unstaged, kind }) =>
    [kind, oldPath === null ? path : `${oldPath} -> ${path}`, staged, unstaged].join(' '),
  )
const diff = (repo: string, path: string, side: 'staged' | 'unstaged') =>
  reader.diff(found, { repository: repo, file: fileId(path), side })

describe('the repositories of a home', () => {
  it('are found with their branches, also worktrees, but not below what package managers store', async () => {
    mkdirSync(join(home, 'deep/er'), { recursive: true })
    sh('deep/er', 'git init -q -b trunk app; mkdir -p node_modules/x; git init -q node_modules/x')
    sh('.', 'git init -q -b trunk go/src/own; git init -q go/pkg/mod/x')
    const repo = repository()
    git(repo, 'worktree add -q -b other ../tree')
    git(repo, 'checkout -q --detach')
    const { items, truncated } = await reader.repositories(found)
    expect(truncated).toBe(false)
    expect(items).toEqual([
      { path: 'deep/er/app', kind: 'main', branch: 'trunk' },
      { path: 'go/src/own', kind: 'main', branch: 'trunk' },
      { path: repo, kind: 'main', branch: null },
      { path: 'tree', kind: 'linked', branch: 'other' },
    ])
  })
})

describe('the status of a repository', () => {
  it('says what is staged, what is not, what is untracked, and on demand what is ignored', async () => {
    const repo = repository()
    sh(
      repo,
      'echo 4 >>a; git add a; echo 5 >>a; git mv "b c" moved; rm d/e; echo x >new; echo "*.log" >.gitignore; touch x.log; ln -s a link',
    )
    expect(await filesOf(repo)).toEqual([
      'changed a modified modified',
      'changed d/e  deleted',
      'changed b c -> moved renamed ',
      'untracked .gitignore  added',
      'untracked link  added',
      'untracked new  added',
    ])
    expect((await filesOf(repo, true)).at(-1)).toBe('ignored x.log  added')
  })

  it('says how the branch stands to the one that it follows, and what it would be compared with', async () => {
    const repo = repository()
    sh(
      repo,
      `git remote add origin https://token@github.com/ada/app.git; git update-ref refs/remotes/origin/main HEAD
       git update-ref refs/remotes/origin/work HEAD; git checkout -qb work; git branch -q -u origin/work; git commit -q --allow-empty -m two`,
    )
    expect(await reader.status(found, { repository: repo })).toMatchObject({
      ...{
        branch: 'work',
        upstream: 'origin/work',
        ahead: 1,
        behind: 0,
        unfinished: null,
        files: [],
        truncated: false,
      },
      remote: { name: 'origin', url: 'https://github.com/ada/app.git' },
      compareUrl: 'https://github.com/ada/app/compare/main...work?expand=1',
    })
  })

  it('says what is in conflict, and that a merge is not finished', async () => {
    const repo = repository()
    sh(
      repo,
      'git checkout -qb other; echo o >a; git commit -qam o; git checkout -q main; echo m >a; git commit -qam m; git merge -q other || true',
    )
    const status = await reader.status(found, { repository: repo })
    expect(status).toMatchObject({ unfinished: 'merge', files: [{ path: 'a', kind: 'conflict' }] })
    expect((await diff(repo, 'a', 'unstaged')).file?.patch).toContain('+<<<<<<<')
  })

  it('is that of a repository without a commit', async () => {
    const repo = repository('echo 1 >one; git add one; echo 2 >two')
    expect(await reader.status(found, { repository: repo })).toMatchObject({ branch: 'main', commit: null })
    expect(await filesOf(repo)).toEqual(['changed one added ', 'untracked two  added'])
    expect((await diff(repo, 'one', 'staged')).file).toMatchObject({ status: 'added', insertions: 1 })
  })

  it('is refused where there is no repository, or none in the home', async () => {
    mkdirSync(join(home, 'plain'))
    symlinkSync('/', join(home, 'root'))
    for (const repo of ['plain', 'missing', 'root'])
      await expect(reader.status(found, { repository: repo })).rejects.toMatchObject({ code: 'NO_REPOSITORY' })
  })
})

describe('the diff of a file', () => {
  it('is of what is staged, or of what is not', async () => {
    const repo = repository()
    sh(repo, 'echo 4 >>a; git add a; echo 5 >>a; echo n >new; git mv "b c" moved')
    expect((await diff(repo, 'a', 'staged')).file?.patch).toMatch(/\n 3\n\+4\n$/)
    expect((await diff(repo, 'a', 'unstaged')).file?.patch).toMatch(/\n 4\n\+5\n$/)
    expect((await diff(repo, 'new', 'unstaged')).file).toMatchObject({ status: 'added', size: 2 })
    const renamed = { repository: repo, file: fileId('moved'), oldFile: fileId('b c'), side: 'staged' } as const
    expect((await reader.diff(found, renamed)).file).toMatchObject({ status: 'renamed', oldPath: 'b c' })
    expect((await diff(repo, 'd/e', 'unstaged')).file).toBeNull()
  })

  it('is left out where it is too large, with the size', async () => {
    const repo = repository()
    put(repo, 'many', '1\n'.repeat(300_000))
    writeFileSync(join(home, repo, 'huge'), '')
    truncateSync(join(home, repo, 'huge'), 200_000_000)
    expect((await diff(repo, 'many', 'unstaged')).file).toMatchObject({ tooLarge: true, size: 600_000, patch: null })
    expect(await diff(repo, 'huge', 'unstaged')).toMatchObject({
      file: { tooLarge: true, size: 200_000_000, patch: null },
      seen: null,
    })
  })

  it('is refused for what is no path of a work tree', async () => {
    const repo = repository()
    for (const path of ['../x', '/etc/passwd', '.git/config', 'd//e', '.GIT/config', ''])
      await expect(diff(repo, path, 'unstaged')).rejects.toMatchObject({ code: 'VALIDATION' })
  })
})

describe('commits, branches and stashes', () => {
  it('are listed, the commits page by page, each before its parents', async () => {
    const repo = repository()
    sh(
      repo,
      'git tag v1; git checkout -qb side; git commit -q --allow-empty -m "on the side"; git checkout -q main; git commit -q --allow-empty -m two; git merge -q --no-ff -m merged side',
    )
    const all = await reader.log(found, { repository: repo })
    expect(all.items.map(({ subject, parents }) => `${subject} ${parents.length}`)).toEqual([
      'merged 2',
      expect.any(String),
      expect.any(String),
      'one 0',
    ])
    expect(all.items[0]).toMatchObject({ author: 'Tester', address: 't@example.org' })
    const page = await reader.log(found, { repository: repo, from: 'main', skip: 1, limit: 2 })
    expect(page).toMatchObject({ more: true, items: all.items.slice(1, 3) })
    const { items } = await reader.refs(found, { repository: repo })
    expect(items.map(({ kind, name }) => `${kind} ${name}`).sort()).toEqual(['branch main', 'branch side', 'tag v1'])
    expect(items.find(({ name }) => name === 'main')?.checkedOutIn).toBe(join(home, repo))
  })

  it('have what a commit changed, and the stashes with the newest first', async () => {
    const repo = repository()
    sh(
      repo,
      'echo 4 >>a; git commit -qam two; echo 5 >>a; git stash push -q -m first; echo 6 >>a; git stash push -q -m second',
    )
    const commit = git(repo, 'rev-parse HEAD')
    const { files } = await reader.commit(found, { repository: repo }, commit)
    expect(files.map(({ path, insertions }) => [path, insertions])).toEqual([['a', 1]])
    const { items } = await reader.stashes(found, { repository: repo })
    expect(items.map(({ at, text }) => `${at} ${text}`)).toEqual(['0 On main: second', '1 On main: first'])
    expect(items[0]?.commit).toBe(git(repo, 'rev-parse stash@{0}'))
  })
})
