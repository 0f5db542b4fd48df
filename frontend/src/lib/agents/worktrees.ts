import type { Worktree, WorktreeMode, WorktreeState } from '@slipway/protocol'

/** A state in words for users, with what it means. */
interface StateWords {
  readonly word: string
  readonly detail: string
  readonly color: 'neutral' | 'success' | 'warning' | 'error'
}

export const WORKTREE_WORDS: Record<WorktreeState, StateWords> = {
  in_use: { word: 'In use', detail: 'A task, a terminal or another program works in it.', color: 'success' },
  clean: { word: 'Unchanged', detail: 'It is as it was made.', color: 'neutral' },
  kept: { word: 'Has work', detail: 'It has changes or commits that its branch lacks.', color: 'warning' },
  conflicted: { word: 'Has conflicts', detail: 'Files in it are in conflict.', color: 'error' },
  broken: { word: 'Broken', detail: 'Its folder or its repository is gone.', color: 'error' },
  unknown: { word: 'Not known', detail: 'The agent does not run, or did not answer in time.', color: 'neutral' },
}

/** When a task works in a worktree, for the forms. */
export const WORKTREE_CHOICES: Record<WorktreeMode, { readonly label: string; readonly text: string }> = {
  off: { label: 'Off', text: 'It works in the folder itself, beside whatever else works there.' },
  auto: {
    label: 'Auto',
    text: 'It gets a copy for a review or a rebase, and when something else works in the same repository.',
  },
  always: { label: 'Always', text: 'It gets a copy of the last commit. Unsaved changes of the folder stay out.' },
}

/** The last part of its path. */
export const worktreeName = ({ path }: Pick<Worktree, 'path'>): string => path.slice(path.lastIndexOf('/') + 1)

/** `main` for `refs/heads/main`. Null: it had no branch. */
export const branchName = (branch: string | null): string | null => branch?.replace(/^refs\/heads\//, '') ?? null

const COMMIT = /^[0-9a-f]{40,64}$/

/** The commits that a text names, oldest first; or what is wrong with it. Empty: all commits. */
export function commitsIn(text: string): { readonly commits: string[] } | { readonly problem: string } {
  const commits = text.split(/[\s,]+/).filter((word) => word !== '')
  const wrong = commits.find((commit) => !COMMIT.test(commit))
  if (wrong !== undefined) return { problem: `${wrong.slice(0, 80)} is not a full commit id of 40 or 64 characters.` }
  return commits.length > 100 ? { problem: 'Name at most 100 commits.' } : { commits }
}
