import { BRANCH_PATTERN } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { suggestionFor } from './suggest.ts'

type Task = Parameters<typeof suggestionFor>[0]
const TASK: Task = {
  ...{ id: '0193a7b2-0000-7000-8000-00005eed0001', prompt: 'Fix the login page.\nIt fails on phones.' },
  ...{ result: null, costUsd: 0.1234, costEstimated: true, filesChanged: 2, insertions: 3, deletions: 1 },
}
const suggested = (more: Partial<Task> = {}) => suggestionFor({ ...TASK, ...more }, { validation: null, cost: null })

describe('a suggestion for the work of a task', () => {
  it('has the first line of what the agent said, if it is short', () => {
    const { message, title } = suggested({ result: '## Fixed the login page.\n\nThe button was too wide.' })
    expect(message).toBe('Fixed the login page\n\n## Fixed the login page.\n\nThe button was too wide.')
    expect(title).toBe('Fixed the login page')
  })

  it('has the first line of the prompt otherwise, in a subject’s length', () => {
    expect(suggested({ result: 'x'.repeat(100) }).title).toBe('Fix the login page')
    expect(suggested({ prompt: 'y'.repeat(300) }).title).toHaveLength(72)
    expect(suggested({ prompt: ' \n ' }).message).toBe('Work of an agent')
  })

  it('has a branch that git takes, whatever the prompt is', () => {
    for (const prompt of ['Fix the login page', '日本語', '-- .lock ..', 'a'.repeat(500)])
      expect(suggested({ prompt }).branch).toMatch(new RegExp(BRANCH_PATTERN))
    expect(suggested().branch).toBe('slipway/fix-the-login-page-it-fails-5eed0001')
  })

  it('has a branch of its own, also beside one of the same prompt that began at the same time', () => {
    const [one, other] = [7, 8].map((last) => suggested({ id: `0193a7b2-0000-7000-8000-00000000000${last}` }).branch)
    expect(one).not.toBe(other)
  })
})
