/** What the pages of changes do to real repositories, by this machine's git: commits. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fileId, useLocalGit } from '../../../../test/support/git/local.ts'

const { home, found, reader, writer, repository, sh, git, put, short } = useLocalGit()

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
