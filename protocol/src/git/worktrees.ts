/** Git worktrees in which tasks work, and the settings of an agent about them. */
import Type, { type Static } from 'typebox'
import { Nullable, Timestamp } from '../common.ts'

/**
 * When a task works in a git worktree of its own: `always`; never (`off`); or for a review, for a rebase and where another
 * task or a terminal works in the same work tree (`auto`).
 */
export const WORKTREE_MODES = ['auto', 'always', 'off'] as const
export const WorktreeMode = Type.Enum(WORKTREE_MODES)
export type WorktreeMode = (typeof WORKTREE_MODES)[number]

/** Where worktrees are made by default, in the agent's home. */
export const WORKTREE_ROOT = '.slipway/worktrees'
/** Worktrees that one agent may have. */
export const WORKTREES_PER_AGENT = 50
/** How long a set-up command may take, in seconds. */
export const WORKTREE_SETUP_SECONDS = 600

/** Parts of a path, none of which begins with a dash or is `..`. */
const ROOT_PATTERN = '^(?!\\.\\.?(/|$))(?!.*/\\.\\.?(/|$))[A-Za-z0-9._][A-Za-z0-9._-]*(/[A-Za-z0-9._][A-Za-z0-9._-]*)*$'

export const WorktreeSettings = Type.Object(
  {
    mode: WorktreeMode,
    /** The folder in which worktrees are made, in the agent's home. */
    root: Type.String({ minLength: 1, maxLength: 200, pattern: ROOT_PATTERN }),
    /** A command of the shell that runs in each new worktree before the CLI starts; null: none. */
    setup: Nullable(Type.String({ minLength: 1, maxLength: 4096, pattern: '^[^\\u0000]*[^\\u0000\\s][^\\u0000]*$' })),
  },
  { additionalProperties: false },
)
export type WorktreeSettings = Static<typeof WorktreeSettings>

/**
 * `in_use`: a task, a terminal or another program works there. `clean`: as it was made. `kept`: it has changes or commits.
 * `conflicted`: it has files in conflict. `broken`: its repository or its folder is gone. `unknown`: the agent does not run,
 * or did not answer in time.
 */
export const WORKTREE_STATES = ['in_use', 'clean', 'kept', 'conflicted', 'broken', 'unknown'] as const
export const WorktreeState = Type.Enum(WORKTREE_STATES)
export type WorktreeState = (typeof WORKTREE_STATES)[number]

export const Worktree = Type.Object({
  id: Type.String(),
  state: WorktreeState,
  /** An absolute path. A terminal, a task or the files can be opened in it. */
  path: Type.String(),
  /** The work tree from which it was made. */
  repository: Type.String(),
  /** The branch of that work tree when it was made; null if it had none. */
  branch: Nullable(Type.String()),
  /** The commit at which it began. */
  base: Type.String(),
  /** Its commit now; null: unknown. */
  head: Nullable(Type.String()),
  /** Its size, in bytes; null: unknown. */
  sizeBytes: Nullable(Type.Integer()),
  /** The task for which it was made. */
  sessionId: Type.String(),
  /** The conversation, not archived, that goes on in it; null if none does. It is kept as long. */
  conversationId: Nullable(Type.String()),
  /** The user of that task; null after the user was deleted. */
  userId: Nullable(Type.String()),
  createdAt: Timestamp,
  /** When a task began to work in it last. */
  usedAt: Timestamp,
})
export type Worktree = Static<typeof Worktree>

export const WorktreesQuery = Type.Object(
  {
    /** An absolute path: only the worktree in which this folder is. */
    folder: Type.Optional(Type.String({ minLength: 1, maxLength: 4095, pattern: '^[^\\u0000]*$' })),
  },
  { additionalProperties: false },
)
export type WorktreesQuery = Static<typeof WorktreesQuery>

/** What became of a worktree that was removed. */
export const RemovedWorktree = Type.Object({
  /** The reference in its repository that has everything that was in it. Null if there was nothing left to save. */
  salvage: Nullable(Type.String()),
})
export type RemovedWorktree = Static<typeof RemovedWorktree>

/** How an error begins of a task whose worktree was removed with its work, before the name of the worktree. */
export const WORKTREE_WAS_REMOVED = 'The worktree of the task was removed'

/** A word of the shell. */
const quoted = (word: string): string =>
  /^[\w./~-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`

/** The command that brings a removed worktree back. `salvage` is the reference that has what was in it. */
export const restoreCommand = ({ repository, path }: Pick<Worktree, 'repository' | 'path'>, salvage: string): string =>
  `git -C ${quoted(repository)} worktree add ${quoted(path)} ${quoted(salvage)}`

/** How the commits of a worktree come into a branch. */
export const TAKE_BACK_WAYS = ['merge', 'rebase', 'cherry_pick'] as const

export const TakeBackWorktree = Type.Object(
  {
    how: Type.Enum(TAKE_BACK_WAYS),
    /** The commits to pick, oldest first. Only for `cherry_pick`. Without it, all of them. */
    commits: Type.Optional(Type.Array(Type.String({ pattern: '^[0-9a-f]{40,64}$' }), { minItems: 1, maxItems: 100 })),
  },
  { additionalProperties: false },
)
export type TakeBackWorktree = Static<typeof TakeBackWorktree>

export const TakenBack = Type.Object({
  /** The branch, as in `refs/heads/main`. */
  branch: Type.String(),
  /** The new commit of the branch; null if there are conflicts, and nothing was changed. */
  commit: Nullable(Type.String()),
  /** The files in conflict. */
  conflicts: Type.Array(Type.String()),
})
export type TakenBack = Static<typeof TakenBack>
