/** What the pages of changes do to real repositories, by this machine's git: branches. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { useLocalGit } from '../../../../test/support/git/local.ts'

const { home, found, reader, writer, repository, sh, git, short, text } = useLocalGit()

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

  it('that are checked out stay, also if the remote that they follow cannot be noted', async () => {
    const repo = repository()
    sh(repo, 'git remote add origin /nowhere; git update-ref refs/remotes/origin/work HEAD; touch .git/config.lock')
    const made = { repository: repo, name: 'work', from: 'origin/work', switch: true }
    await expect(writer.branch(found, made)).rejects.toMatchObject({ code: 'GIT_REFUSED' })
    expect([git(repo, 'rev-parse --abbrev-ref HEAD'), short(repo)]).toEqual(['work', []])
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
