import type { Publication } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { branchProblem, isNothing, isSignInProblem, messageFrom, partsOf, stepsOf } from './steps.ts'

const CLEAN: Publication = {
  ...{ sessionId: 'x', branch: 'fix', commit: 'a'.repeat(40), uncommitted: 0, base: 'main', ahead: 1, pushed: true },
  remote: { name: 'origin', url: 'https://github.com/a/b', hasPullRequests: true },
  ...{ compareUrl: 'https://github.com/a/b/compare', pullRequest: null },
  suggested: { branch: 's', message: 'm', title: 't', body: 'b' },
}
const PULL = { number: 1, url: 'https://x', title: 't', draft: true, createdAt: '', updatedAt: '' }

describe('the steps of a publication', () => {
  it.each([
    ['changes', { uncommitted: 2 }, ['open', 'later', 'later']],
    ['no branch', { branch: null }, ['open', 'later', 'later']],
    ['commits on the main branch', { branch: 'main' }, ['open', 'later', 'later']],
    ['a commit that the remote lacks', { pushed: false }, ['done', 'open', 'later']],
    ['a pushed branch', {}, ['done', 'done', 'open']],
    ['a pull request', { pullRequest: PULL }, ['done', 'done', 'done']],
    ['a pull request, and new changes', { pullRequest: PULL, uncommitted: 1 }, ['open', 'later', 'later']],
    ['no remote', { remote: null, compareUrl: null, pushed: false }, ['done', 'none', 'none']],
  ])('follow from %s', (_what, more, states) => {
    expect(Object.values(stepsOf({ ...CLEAN, ...more }))).toEqual(states)
  })

  it('are nothing without a change, a commit and a pull request', () => {
    expect(isNothing({ ...CLEAN, ahead: 0 })).toBe(true)
    expect(isNothing({ ...CLEAN, remote: null, ahead: null })).toBe(true)
    for (const more of [{}, { ahead: null }, { ahead: 0, uncommitted: 1 }, { ahead: 0, pullRequest: PULL }])
      expect(isNothing({ ...CLEAN, ...more })).toBe(false)
  })
})

describe('a message', () => {
  it('is its subject and its body, and both again', () => {
    expect(partsOf('Fix it\n\nBecause.\n\nYes.\n')).toEqual({ subject: 'Fix it', body: 'Because.\n\nYes.' })
    expect(messageFrom(' Fix it ', 'Because.\n')).toBe('Fix it\n\nBecause.')
    expect(messageFrom('Fix it', ' ')).toBe('Fix it')
  })
})

describe('a branch', () => {
  it.each(['fix', 'fix/a.b', 'A_1+#'])('may be %s', (name) => expect(branchProblem(name)).toBeNull())
  it.each(['', '-x', 'a..b', 'a//b', 'a/', '/a', '.a', 'a.lock', 'a.', 'a b', 'a~1', 'x'.repeat(201)])(
    'may not be %s',
    (name) => expect(branchProblem(name)).not.toBeNull(),
  )
})

describe('a refusal', () => {
  it('is one of the sign-in, or another one', () => {
    expect(isSignInProblem('gh is not signed in. Set a token.')).toBe(true)
    expect(isSignInProblem("fatal: could not read Username for 'https://github.com'")).toBe(true)
    expect(isSignInProblem('remote: Permission to a/b.git denied to c.')).toBe(true)
    expect(isSignInProblem('GitHub refused: base does not exist')).toBe(false)
  })
})
