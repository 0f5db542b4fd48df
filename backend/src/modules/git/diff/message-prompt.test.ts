import { describe, expect, it } from 'vitest'
import { useLocalGit } from '../../../../test/support/git/local.ts'
import { promptIn } from './message-prompt.ts'

const { found, reader, repository, sh, git } = useLocalGit()

describe('the prompt for a message', () => {
  it('has what is staged alone, between marks that no file knows', async () => {
    const repo = repository()
    sh(repo, 'echo staged >>a; git add a; echo not-staged >>a; echo untracked >new')
    const { prompt, truncated } = await reader.messagePrompt(found, { repository: repo })
    const [, mark = ''] = /^=== (.+) ===$/m.exec(prompt) ?? []
    expect(prompt.split(`=== ${mark} ===`)).toHaveLength(3)
    expect([prompt.includes('+staged'), prompt.includes('not-staged'), prompt.includes('untracked')]).toEqual([
      ...[true, false, false],
    ])
    expect([prompt.includes('1 file changed, 1 insertion(+)'), truncated]).toEqual([true, false])
    const again = await reader.messagePrompt(found, { repository: repo })
    expect(again.prompt).not.toContain(mark)
  })

  it('has the last commit, too, for one in its place, and is refused for nothing', async () => {
    const repo = repository()
    sh(repo, 'echo last >>a; git commit -qam two')
    await expect(reader.messagePrompt(found, { repository: repo })).rejects.toMatchObject({ code: 'GIT_REFUSED' })
    expect((await reader.messagePrompt(found, { repository: repo, amends: true })).prompt).toContain('+last')
    git(repo, 'checkout -q --orphan other')
    expect((await reader.messagePrompt(found, { repository: repo })).prompt).toContain('+last')
  })

  it('is cut, and says so', async () => {
    const repo = repository()
    sh(repo, 'seq 1 100000 >long; git add long')
    const { prompt, truncated } = await reader.messagePrompt(found, { repository: repo })
    expect([truncated, prompt.includes('The changes are longer')]).toEqual([true, true])
    expect(prompt.length).toBeLessThan(70_000)
  })

  it('has no NUL, and is none of another output', () => {
    expect(promptIn(Buffer.from('a\0b\0c'), 'm').prompt).toContain('b\uFFFDc')
    expect(() => promptIn(Buffer.from('a'), 'm')).toThrow('something else')
  })
})
