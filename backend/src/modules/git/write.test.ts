/** What the pages of changes do to real repositories, by this machine's git. */
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fileId, useLocalGit } from '../../../test/support/git/local.ts'

const { home, found, reader, writer, recorded, repository, sh, git, put } = useLocalGit()
const short = (repo: string): string[] =>
  sh(repo, 'git status --porcelain -uall')
    .split('\n')
    .filter((line) => line !== '')
const text = (repo: string, name: string): string => readFileSync(join(home, repo, name), 'utf8')
const LINES = Array.from({ length: 30 }, (_, at) => `${at}`)
/** A file whose first and last lines are changed, so that its diff has two hunks. */
const twoHunks = (): string => {
  const repo = repository()
  put(repo, 'a', `${LINES.join('\n')}\n`)
  git(repo, 'commit -qam lines')
  put(repo, 'a', `first\n${LINES.slice(1, -1).join('\n')}\nlast\n`)
  return repo
}
const hunkOf = async (repo: string, side: 'staged' | 'unstaged', at: number) => {
  const { seen } = await reader.diff(found, { repository: repo, file: fileId('a'), side })
  return { repository: repo, files: [fileId('a')], hunk: { at, ...seen! } }
}

describe('staging', () => {
  it('takes files of every kind into the index, and out of it, and changes no file', async () => {
    const repo = repository()
    sh(repo, 'echo 4 >>a; rm "b c"; rm -r d; echo x >d; echo n >-new; ln -s /etc/passwd link; echo 4 >other')
    const files = ['a', 'b c', 'd/e', 'd', '-new', 'link'].map(fileId)
    await writer.stage(found, { repository: repo, files })
    expect(short(repo)).toEqual(['A  -new', 'M  a', 'D  "b c"', 'A  d', 'D  d/e', 'A  link', '?? other'])
    expect(git(repo, 'ls-files -s link')).toMatch(/^120000/)
    await writer.unstage(found, { repository: repo, files })
    expect(short(repo)).toEqual([' M a', ' D "b c"', ' D d/e', '?? -new', '?? d', '?? link', '?? other'])
    git(repo, 'fsck --strict')
    expect(recorded).toEqual(expect.arrayContaining(['git.staged', 'git.unstaged']))
  })

  it('works before the first commit', async () => {
    const repo = repository('echo 1 >one')
    await writer.stage(found, { repository: repo, files: [fileId('one')] })
    await writer.unstage(found, { repository: repo, files: [fileId('one')] })
    expect(short(repo)).toEqual(['?? one'])
    await writer.stage(found, { repository: repo, files: [fileId('one')] })
    await writer.commit(found, { repository: repo, message: 'First' })
    expect(git(repo, 'log --format=%s%an')).toBe('FirstTester')
  })

  it('takes one hunk, if it is still as the user saw it', async () => {
    const repo = twoHunks()
    const second = await hunkOf(repo, 'unstaged', 1)
    await writer.stage(found, second)
    expect(git(repo, 'diff --cached -U0')).toContain('+last')
    expect(git(repo, 'diff --cached -U0')).not.toContain('+first')
    await expect(writer.stage(found, second)).rejects.toMatchObject({ code: 'CHANGES_CONFLICT' })
    await writer.unstage(found, await hunkOf(repo, 'staged', 0))
    expect(git(repo, 'diff --cached')).toBe('')
    expect(existsSync(join(home, repo, '.git/index.lock'))).toBe(false)
  })

  it('is refused where a filter stores the file differently, and while another git has the index', async () => {
    const repo = repository('echo "*.bin filter=lfs" >.gitattributes; git add -A; git commit -qm one')
    put(repo, 'x.bin', 'content')
    const stage = () => writer.stage(found, { repository: repo, files: [fileId('x.bin')] })
    await expect(stage()).rejects.toMatchObject({ code: 'GIT_REFUSED', message: expect.stringContaining('LFS') })
    put(repo, '.git/index.lock', '')
    await expect(stage()).rejects.toMatchObject({ message: expect.stringContaining('index.lock') })
    expect(existsSync(join(home, repo, '.git/index.lock'))).toBe(true)
  })
})

describe('a discard', () => {
  it('takes files back to what is staged, removes untracked ones, and is undone', async () => {
    const repo = repository()
    sh(repo, 'echo staged >>a; git add a; echo more >>a; rm "b c"; chmod +x d/e; echo n >new; printf "\\0\\1" >binary')
    const before = short(repo)
    const files = ['a', 'b c', 'd/e', 'new', 'binary'].map(fileId)
    const { kept } = await writer.discard(found, { repository: repo, files })
    expect(short(repo)).toEqual(['M  a'])
    expect(existsSync(join(home, repo, 'new'))).toBe(false)
    await writer.undo(found, { repository: repo, kept })
    expect(short(repo)).toEqual(before)
    expect(text(repo, 'a')).toBe('1\n2\n3\nstaged\nmore\n')
    expect(statSync(join(home, repo, 'd/e')).mode & 0o777).toBe(0o755)
    put(repo, 'new', 'written since')
    await expect(writer.undo(found, { repository: repo, kept })).rejects.toMatchObject({ code: 'CHANGES_CONFLICT' })
    expect(text(repo, 'new')).toBe('written since')
  })

  it('takes one hunk back, and is undone', async () => {
    const repo = twoHunks()
    const { kept } = await writer.discard(found, await hunkOf(repo, 'unstaged', 0))
    expect(text(repo, 'a').split('\n').slice(0, 2)).toEqual(['0', '1'])
    expect(text(repo, 'a')).toContain('last')
    await writer.undo(found, { repository: repo, kept })
    expect(text(repo, 'a')).toContain('first')
    expect(git(repo, 'diff --cached')).toBe('')
  })

  it('is refused for another repository, and for a file in conflict', async () => {
    const repo = repository()
    sh(repo, 'git init -q inner; echo 1 >inner/x')
    const { files } = await reader.status(found, { repository: repo })
    expect(files).toMatchObject([{ path: 'inner/', kind: 'repository' }])
    for (const act of ['discard', 'stage'] as const)
      await expect(writer[act](found, { repository: repo, files: [files[0]!.id] })).rejects.toMatchObject({
        code: 'GIT_REFUSED',
      })
    expect(existsSync(join(home, repo, 'inner/x'))).toBe(true)
  })

  it('is kept among the last fifty, whatever the clock says', async () => {
    const repo = repository()
    const later = "$(GIT_COMMITTER_DATE='@4000000000 +0000' git commit-tree -m later 'HEAD^{tree}')"
    sh(
      repo,
      `at=${later}; for n in $(seq 10 70); do git update-ref refs/slipway/discarded/files-1-0000000000$n $at; done`,
    )
    put(repo, 'a', 'changed')
    const { kept } = await writer.discard(found, { repository: repo, files: [fileId('a')] })
    const refs = git(repo, 'for-each-ref "--format=%(refname)" refs/slipway').split('\n')
    expect(refs).toHaveLength(50)
    expect(refs).toContain(kept)
  })
})

describe('a commit', () => {
  it('has what is staged alone, with the name of the repository', async () => {
    const repo = repository()
    sh(repo, 'echo 4 >>a; git add a; echo 5 >>a')
    const { commit } = await writer.commit(found, { repository: repo, message: 'Add four\n\nAnd why.' })
    expect(git(repo, 'log -1 --format=%H,%an,%ce,%B')).toBe(`${commit},Tester,t@example.org,Add four\n\nAnd why.`)
    expect(short(repo)).toEqual([' M a'])
    await expect(writer.commit(found, { repository: repo, message: 'x' })).rejects.toMatchObject({
      code: 'GIT_REFUSED',
    })
  })

  it('has the name of the user where the repository names no one, and ends a merge', async () => {
    const repo = repository()
    sh(
      repo,
      `git checkout -qb other; echo o >a; git commit -qam o; git checkout -q main; echo m >a; git commit -qam m
      git merge -q other || true; git config --unset user.name; git config --unset user.email`,
    )
    await expect(writer.commit(found, { repository: repo, message: 'x' })).rejects.toMatchObject({
      code: 'GIT_REFUSED',
    })
    put(repo, 'a', 'both\n')
    await writer.stage(found, { repository: repo, files: [fileId('a')] })
    await writer.commit(found, { repository: repo, message: 'Merge other' })
    expect(git(repo, 'log -1 --format=%an,%ae,%p')).toMatch(/^ada,ada@example.org,\w+ \w+$/)
    expect(git(repo, 'status')).toContain('nothing to commit')
  })
})

describe('a commit that takes the place of the last one', () => {
  const last = (repo: string) => reader.last(found, { repository: repo })

  it('has what is staged, too, and its author, and the old one is in the reflog', async () => {
    const repo = repository()
    sh(repo, 'echo 4 >>a; git commit -qam two --author "Grace <grace@example.org>" --date "@1000000000 +0200"')
    sh(repo, 'echo 5 >>a; git add a; echo 6 >>a')
    const { commit, message, isAtRemote } = await last(repo)
    expect([commit, message, isAtRemote]).toEqual([git(repo, 'rev-parse HEAD'), 'two', false])
    const made = await writer.commit(found, { repository: repo, message: 'Two and three\n\nWhy.', amends: commit })
    expect(git(repo, 'log -1 --format=%H,%an,%ae,%cn,%s --date=raw')).toBe(
      `${made.commit},Grace,grace@example.org,Tester,Two and three`,
    )
    expect(git(repo, 'log -1 --date=raw --format=%ad,%P')).toBe(`1000000000 +0200,${git(repo, 'rev-parse HEAD@{1}^')}`)
    expect([git(repo, 'show HEAD:a').endsWith('5'), short(repo)]).toEqual([true, [' M a']])
    expect(git(repo, 'rev-parse HEAD@{1}')).toBe(commit)
    // The first one has no parent.
    git(repo, 'checkout -qf HEAD~1')
    const first = await writer.commit(found, { repository: repo, message: 'First', amends: (await last(repo)).commit })
    expect(git(repo, 'rev-list --count HEAD')).toBe('1')
    expect((await last(repo)).commit).toBe(first.commit)
    git(repo, 'fsck --strict')
  })

  it('is refused once a remote has that one, if another one was made meanwhile, and in the middle of a merge', async () => {
    const repo = repository()
    const { commit } = await last(repo)
    const amend = () => writer.commit(found, { repository: repo, message: 'x', amends: commit })
    git(repo, 'update-ref refs/remotes/origin/any HEAD')
    expect((await last(repo)).isAtRemote).toBe(true)
    await expect(amend()).rejects.toMatchObject({ code: 'GIT_REFUSED', message: expect.stringContaining('remote') })
    sh(repo, 'git update-ref -d refs/remotes/origin/any; git rev-parse HEAD >.git/MERGE_HEAD')
    await expect(amend()).rejects.toMatchObject({ code: 'GIT_REFUSED' })
    sh(repo, 'rm .git/MERGE_HEAD; git commit -q --allow-empty -m two')
    await expect(amend()).rejects.toMatchObject({ code: 'CHANGES_CONFLICT' })
    expect(git(repo, 'log -1 --format=%s')).toBe('two')
    sh(repo, 'git commit -q --allow-empty -m "$(seq 1 20000)"')
    await expect(last(repo)).rejects.toMatchObject({ code: 'GIT_REFUSED' })
    expect(existsSync(join(home, repo, '.git/index.lock'))).toBe(false)
  })
})

describe('branches', () => {
  it('are created, at a commit or another branch, and checked out with changes that are not in the way', async () => {
    const repo = repository()
    await writer.branch(found, { repository: repo, name: 'plain' })
    sh(repo, 'echo 4 >>a; git commit -qam two; echo n >new; echo 9 >>d/e')
    await writer.branch(found, { repository: repo, name: 'old', from: 'plain', switch: true })
    expect(git(repo, 'branch --show-current')).toBe('old')
    expect(text(repo, 'a')).toBe('1\n2\n3\n')
    expect(short(repo)).toEqual([' M d/e', '?? new'])
    await writer.switch(found, { repository: repo, name: 'main' })
    expect([text(repo, 'a'), short(repo)]).toEqual(['1\n2\n3\n4\n', [' M d/e', '?? new']])
    expect(git(repo, 'reflog -1 --format=%gs')).toBe('checkout: moving from old to main')
    await expect(writer.branch(found, { repository: repo, name: 'old' })).rejects.toMatchObject({
      code: 'BRANCH_TAKEN',
    })
  })

  it('follow the branch of the remote from which they are made', async () => {
    const repo = repository()
    sh(repo, 'git remote add origin /nowhere; git update-ref refs/remotes/origin/work HEAD')
    await writer.branch(found, { repository: repo, name: 'work', from: 'origin/work', switch: true })
    expect(await reader.status(found, { repository: repo })).toMatchObject({ branch: 'work', upstream: 'origin/work' })
  })

  it('are not checked out over changes, nor twice, and what cannot be checked out is not created', async () => {
    const repo = repository()
    sh(
      repo,
      'git branch old; git branch taken; echo 4 >>a; git commit -qam two; echo 5 >>a; git worktree add -q ../tree-of-it taken',
    )
    const message = expect.stringContaining('in the way') as string
    await expect(writer.switch(found, { repository: repo, name: 'old' })).rejects.toMatchObject({ message })
    const made = { repository: repo, name: 'made', from: 'old', switch: true }
    await expect(writer.branch(found, made)).rejects.toMatchObject({ message })
    await expect(writer.switch(found, { repository: repo, name: 'taken' })).rejects.toMatchObject({
      code: 'GIT_REFUSED',
    })
    expect(git(repo, 'for-each-ref "--format=%(refname:short)" refs/heads').split('\n')).toEqual([
      'main',
      'old',
      'taken',
    ])
    expect([git(repo, 'branch --show-current'), text(repo, 'a')]).toEqual(['main', '1\n2\n3\n4\n5\n'])
    expect(existsSync(join(home, repo, '.git/index.lock'))).toBe(false)
  })
})

describe('stashes', () => {
  it('are applied, dropped and brought back', async () => {
    const repo = repository()
    sh(repo, 'echo 4 >>a; echo n >new; git stash push -q -u -m both')
    const stash = async () => {
      const [{ at, commit } = { at: 0, commit: '' }] = (await reader.stashes(found, { repository: repo })).items
      return { repository: repo, at, commit }
    }
    const first = await stash()
    expect(await writer.applyStash(found, first)).toEqual({ conflicts: [] })
    expect(short(repo)).toEqual([' M a', '?? new'])
    const { kept } = await writer.dropStash(found, first)
    expect(git(repo, 'stash list')).toBe('')
    await expect(writer.dropStash(found, first)).rejects.toMatchObject({ code: 'CHANGES_CONFLICT' })
    await writer.undo(found, { repository: repo, kept })
    expect((await stash()).commit).toBe(first.commit)
    expect(git(repo, 'stash list')).toContain('both')
  })

  it('that conflict leave both versions, and the names', async () => {
    const repo = repository()
    sh(repo, 'echo stashed >a; git stash push -q; echo committed >a; git commit -qam two')
    const { items } = await reader.stashes(found, { repository: repo })
    const { conflicts } = await writer.applyStash(found, { repository: repo, at: 0, commit: items[0]!.commit })
    expect(conflicts).toEqual(['a'])
    expect(text(repo, 'a')).toContain('<<<<<<<')
    rmSync(join(home, repo, 'a'))
  })

  it('are made of all that has changed, staged or not, as git itself makes them', async () => {
    const repo = repository()
    sh(
      repo,
      'echo x >.gitignore; git add .gitignore; git commit -qm two; echo staged >>a; git add a; echo more >>a; rm "b c"; rm -r d; echo f >d; git add d; chmod +x .gitignore; echo n >new; echo i >x',
    )
    const before = short(repo)
    const { commit } = await writer.stash(found, { repository: repo, message: 'Aside', untracked: true })
    expect([short(repo), text(repo, 'a'), existsSync(join(home, repo, 'new'))]).toEqual([[], '1\n2\n3\n', false])
    expect([text(repo, 'd/e'), text(repo, 'x')]).toEqual(['1\n2\n3\n', 'i\n'])
    const { items } = await reader.stashes(found, { repository: repo })
    expect(items).toMatchObject([{ at: 0, commit, text: 'On main: Aside' }])
    expect(git(repo, 'show refs/stash^2:a')).toBe('1\n2\n3\nstaged')
    expect(recorded).toContain('git.stashed')
    git(repo, 'fsck --strict')
    sh(repo, 'git stash pop -q --index')
    expect(short(repo)).toEqual(before)
  })

  it('leave untracked files unless they are wanted, and are none without a change or a commit', async () => {
    const repo = repository()
    put(repo, 'new', 'n')
    const stash = () => writer.stash(found, { repository: repo })
    await expect(stash()).rejects.toMatchObject({ code: 'GIT_REFUSED', message: expect.stringContaining('Nothing') })
    sh(repo, 'echo staged >added; git add added')
    await stash()
    expect([short(repo), git(repo, 'stash list')]).toEqual([['?? new'], expect.stringContaining('WIP on main: ')])
    sh(repo, 'git stash pop -q')
    expect(short(repo)).toEqual(['A  added', '?? new'])
    sh(repo, 'echo "*.bin filter=lfs" >.gitattributes; echo 1 >one.bin; git -c filter.lfs.clean=cat add one.bin')
    await expect(stash()).rejects.toMatchObject({ message: expect.stringContaining('LFS') })
    expect(git(repo, 'stash list')).toBe('')
    const empty = repository('echo 1 >one')
    await expect(writer.stash(found, { repository: empty, untracked: true })).rejects.toMatchObject({
      code: 'GIT_REFUSED',
    })
    expect(existsSync(join(home, repo, '.git/index.lock'))).toBe(false)
  })

  it('are not made where a file that git does not know is in the way, and everything stays', async () => {
    const repo = repository()
    sh(repo, 'rm -r d; echo in-the-way >d; echo 4 >>a')
    const before = [short(repo), text(repo, 'd'), text(repo, 'a')]
    await expect(writer.stash(found, { repository: repo })).rejects.toMatchObject({ code: 'CHANGES_CONFLICT' })
    expect([short(repo), text(repo, 'd'), text(repo, 'a')]).toEqual(before)
    expect(git(repo, 'stash list')).toBe('')
  })
})
