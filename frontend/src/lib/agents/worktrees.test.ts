import { restoreCommand } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { branchName, commitsIn, worktreeName } from './worktrees.ts'

const COMMIT = 'a'.repeat(40)

describe('a worktree', () => {
  it('has the last part of its path as its name, and its branch without the reference', () => {
    expect(worktreeName({ path: '/home/developer/.slipway/worktrees/app-1' })).toBe('app-1')
    expect([branchName('refs/heads/feature/x'), branchName(null)]).toEqual(['feature/x', null])
  })

  it('is brought back by a command that the shell reads as it is meant', () => {
    const at = { repository: '/home/developer/app', path: '/home/developer/.slipway/worktrees/app-1' }
    const salvage = 'refs/slipway/salvage/app-1/0123456789ab'
    expect(restoreCommand(at, salvage)).toBe(`git -C ${at.repository} worktree add ${at.path} ${salvage}`)
    expect(restoreCommand({ ...at, repository: "/home/developer/it's; rm" }, salvage)).toBe(
      String.raw`git -C '/home/developer/it'\''s; rm' worktree add ${at.path} ${salvage}`,
    )
  })
})

describe('the commits to cherry-pick', () => {
  it('are full ids in any number, or all', () => {
    expect(commitsIn(' \n')).toEqual({ commits: [] })
    expect(commitsIn(`${COMMIT}\n${COMMIT}`)).toEqual({ commits: [COMMIT, COMMIT] })
    expect(commitsIn(`${COMMIT} main`)).toEqual({
      problem: 'main is not a full commit id of 40 or 64 characters.',
    })
    expect(commitsIn(`${COMMIT} `.repeat(101))).toEqual({ problem: 'Name at most 100 commits.' })
  })
})
