/** What the pages of changes do to real repositories, by this machine's git: staging and discarding. */
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fileId, useLocalGit } from '../../../../test/support/git/local.ts'

const { home, found, reader, writer, recorded, repository, sh, git, put, short, text } = useLocalGit()
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
