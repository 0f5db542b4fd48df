/** Fetches, pulls and pushes between real repositories, by this machine's git. */
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SECRET } from '../../../../test/support/git/hooked.ts'
import { useRemotes } from '../../../../test/support/git/remotes.ts'

const { home, found, recorded, reader, sh, git, put, remotes, pair, asked } = useRemotes()
const status = (repo: string) => reader.status(found, { repository: repo })

describe('the remote of a repository', () => {
  it('is fetched: its branches move, new tags come, and what it has no more goes', async () => {
    const { mine, theirs } = pair()
    await remotes.fetch(asked, mine)
    expect(await status(mine)).toMatchObject({ ahead: 0, behind: 1, files: [] })
    expect(git(mine, 'rev-parse origin/main origin/topic v1')).toBe(git(theirs, 'rev-parse main main v1'))
    sh(theirs, 'git push -q origin :topic; git tag -f v1 HEAD~1; git push -qf origin v1')
    await remotes.fetch(asked, mine)
    expect(git(mine, 'for-each-ref "--format=%(refname)" refs/remotes').split('\n')).toEqual([
      'refs/remotes/origin/HEAD',
      'refs/remotes/origin/main',
    ])
    expect(git(mine, 'rev-parse v1')).toBe(git(theirs, 'rev-parse main'))
    git(mine, 'fsck --connectivity-only')
    expect(existsSync(join(home, mine, '.git/FETCH_HEAD'))).toBe(false)
  })

  it('is pulled into the branch with its files, beside changes that are not in the way', async () => {
    const { mine, theirs } = pair()
    sh(mine, 'echo x >>d/e; echo n >new')
    await remotes.pull(asked, { repository: mine })
    expect(git(mine, 'log -1 --format=%s')).toBe('theirs')
    expect(git(mine, 'status --porcelain')).toBe('M d/e\n?? new')
    expect(git(mine, 'reflog -1 --format=%gs')).toBe('pull: Fast-forward')
    await remotes.pull(asked, { repository: mine })
    sh(theirs, 'echo 5 >>a; git commit -qam more; git push -q origin main')
    put(mine, 'a', 'mine')
    await expect(remotes.pull(asked, { repository: mine })).rejects.toMatchObject({
      message: expect.stringContaining('in the way'),
    })
    expect(sh(mine, 'cat a')).toBe('mine')
  })

  it('is pulled not at all where a file cannot be written', async () => {
    const { mine, theirs } = pair()
    sh(theirs, 'echo 5 >m; echo 5 >z; git add -A; git commit -qm more; git push -q origin main')
    await remotes.fetch(asked, mine)
    const id = git(theirs, 'rev-parse :m')
    sh(mine, `rm .git/objects/${id.slice(0, 2)}/${id.slice(2)}`)
    const head = git(mine, 'rev-parse HEAD')
    await expect(remotes.pull(asked, { repository: mine })).rejects.toMatchObject({
      code: 'GIT_REFUSED',
      message: expect.stringContaining('nothing has changed'),
    })
    expect([git(mine, 'rev-parse HEAD'), git(mine, 'status --porcelain')]).toEqual([head, ''])
  })

  it('is not pulled where both have moved on, and not without a branch to follow', async () => {
    const { mine } = pair()
    sh(mine, 'git commit -q --allow-empty -m mine')
    const message = expect.stringContaining('both moved on') as string
    await expect(remotes.pull(asked, { repository: mine })).rejects.toMatchObject({ code: 'GIT_REFUSED', message })
    expect(git(mine, 'log -1 --format=%s')).toBe('mine')
    git(mine, 'checkout -qb alone')
    await expect(remotes.pull(asked, { repository: mine })).rejects.toMatchObject({ code: 'GIT_REFUSED' })
  })

  it('gets a branch that is pushed, which follows it then, but never by force', async () => {
    const { bare, mine } = pair()
    sh(mine, 'git checkout -qb work; echo w >>a; git commit -qam work')
    const commit = git(mine, 'rev-parse HEAD')
    await remotes.push(asked, { repository: mine, branch: 'work', commit })
    expect(git(bare, 'rev-parse work')).toBe(commit)
    expect(await status(mine)).toMatchObject({ upstream: 'origin/work', ahead: 0, behind: 0 })
    sh(mine, 'git checkout -q main; git commit -q --allow-empty -m mine')
    const main = { repository: mine, branch: 'main', commit: git(mine, 'rev-parse HEAD') }
    await expect(remotes.push(asked, main)).rejects.toMatchObject({ code: 'REMOTE_REFUSED' })
    await expect(remotes.push(asked, { ...main, commit })).rejects.toMatchObject({ code: 'CHANGES_CONFLICT' })
    expect(recorded).toEqual(expect.arrayContaining(['git.fetched', 'git.pulled', 'git.pushed']))
  })

  it('that is a shallow clone of a branch gets the rest of that branch alone', async () => {
    const { bare, theirs } = pair()
    sh('', `git clone -q --depth 1 --branch main file://${home}/${bare} shallow`)
    sh(theirs, 'echo 6 >>a; git commit -qam six; git push -q origin main; git push -q origin main:other')
    await remotes.pull(asked, { repository: 'shallow' })
    expect(git('shallow', 'log --format=%s')).toBe('six\ntheirs')
    expect(git('shallow', 'branch -r')).not.toContain('other')
    git('shallow', 'fsck --connectivity-only')
  })

  it('runs nothing of the repository, and no program that an address names', async () => {
    const { mine } = pair()
    const sprung = join(home, 'sprung')
    put(mine, '.git/trap', `#!/bin/sh\ntouch '${sprung}'\n`)
    sh(
      mine,
      `chmod +x .git/trap; for hook in reference-transaction post-checkout post-merge pre-push; do cp .git/trap .git/hooks/$hook; done
      for key in core.sshCommand core.askPass core.fsmonitor credential.helper core.gitProxy remote.origin.uploadpack remote.origin.receivepack; do
        git config -f .git/config $key "$PWD/.git/trap"
      done; git config -f .git/config remote.origin.vcs trap; git config -f .git/config 'url.ext::touch.insteadOf' /`,
    )
    await remotes.pull(asked, { repository: mine })
    const commit = git(mine, '-c core.fsmonitor=false rev-parse HEAD')
    await remotes.push(asked, { repository: mine, branch: 'main', commit })
    for (const url of [`ext::touch ${sprung}`, '--upload-pack=trap', 'trap::x', '']) {
      sh(mine, `git config -f .git/config remote.origin.url "${url}"`)
      await expect(remotes.fetch(asked, mine)).rejects.toMatchObject({ code: 'WRONG_STATE' })
    }
    expect(existsSync(sprung)).toBe(false)
  })

  it('that cannot be reached is told with its own words, without a secret', async () => {
    const { mine } = pair()
    sh(mine, `git remote set-url origin ${home}/${SECRET}`)
    const told = await remotes.fetch(asked, mine).catch((error: unknown) => error as Error)
    expect(told).toMatchObject({ code: 'REMOTE_REFUSED', message: expect.stringContaining('Git said:') })
    expect(String(told)).not.toContain(SECRET)
    rmSync(join(home, mine), { recursive: true })
  })
})
