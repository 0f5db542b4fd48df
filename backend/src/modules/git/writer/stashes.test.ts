/** What the pages of changes do to real repositories, by this machine's git: stashes. */
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { useLocalGit } from '../../../../test/support/git/local.ts'

const { home, found, reader, writer, recorded, repository, sh, git, put, short, text } = useLocalGit()

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
