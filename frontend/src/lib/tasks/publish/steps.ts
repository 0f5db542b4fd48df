/** How far the work of a task is on its way into a pull request. */
import type { Publication } from '@slipway/protocol'

/** `later`: an earlier step comes first. `none`: it cannot be done here. */
export type StepState = 'open' | 'done' | 'later' | 'none'

export interface Steps {
  readonly commit: StepState
  readonly push: StepState
  readonly pull: StepState
}

/** Whether a commit needs a new branch: the work is on the branch that it is for, or on none. */
export const needsBranch = ({ branch, base }: Publication): boolean => branch === null || branch === base

/** Whether there is neither a change nor a commit that others lack, and no pull request. */
export const isNothing = ({ uncommitted, ahead, remote, pullRequest }: Publication): boolean =>
  uncommitted === 0 && pullRequest === null && (remote === null || ahead === 0)

export function stepsOf(publication: Publication): Steps {
  const { uncommitted, commit, pushed, ahead, remote, pullRequest, compareUrl } = publication
  const isOpen = uncommitted > 0 || commit === null || (needsBranch(publication) && ahead !== 0)
  const isPushed = pushed && !isOpen
  const canPropose = remote?.hasPullRequests === true || compareUrl !== null
  return {
    commit: isOpen ? 'open' : 'done',
    push: remote === null ? 'none' : isOpen ? 'later' : isPushed ? 'done' : 'open',
    pull: pullState(),
  }

  function pullState(): StepState {
    if (!canPropose) return 'none'
    if (!isPushed) return 'later'
    return pullRequest === null ? 'open' : 'done'
  }
}

/** A message of a commit as its subject and its body. */
export function partsOf(message: string): { subject: string; body: string } {
  const [subject = '', ...rest] = message.split('\n')
  return { subject: subject.trim(), body: rest.join('\n').trim() }
}

export const messageFrom = (subject: string, body: string): string =>
  body.trim() === '' ? subject.trim() : `${subject.trim()}\n\n${body.trim()}`

/** What git takes as a name of a branch, as the server checks it. */
export function branchProblem(name: string): string | null {
  if (name === '') return 'Give the branch a name.'
  if (name.length > 200) return 'Use at most 200 characters.'
  const parts = name.split('/')
  const isGood = parts.every(
    (part) => /^[A-Za-z0-9_][A-Za-z0-9._+#-]*$/.test(part) && !part.includes('..') && !/(?:\.|\.lock)$/.test(part),
  )
  return isGood ? null : 'Use letters, digits, and - _ . + # with / between parts.'
}

/** Whether git or `gh` say that they are not signed in, or that the user may not write. */
export const isSignInProblem = (message: string): boolean =>
  /not signed in|could not read (?:username|password)|authentication failed|permission (?:to .+ )?denied|terminal prompts disabled|bad credentials|must have push access|resource not accessible/i.test(
    message,
  )
