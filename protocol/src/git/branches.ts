/** The branches and tags of a repository. */
import Type, { type Static } from 'typebox'
import { Nullable, Timestamp } from '../common.ts'
import { Branch, Reference, RepositoryPath, RunHooks } from './names.ts'

/** Most branches and tags that are listed, those with the newest commits. */
export const GIT_REFS_MAX = 1_000

export const GitRef = Type.Object({
  kind: Type.Enum(['branch', 'remote', 'tag'] as const),
  /** Such as `main` or `origin/main`. */
  name: Type.String(),
  commit: Type.String(),
  /** The branch that it follows. */
  upstream: Nullable(Type.String()),
  /** The first line of its commit, and when that was made. */
  subject: Type.String(),
  committedAt: Nullable(Timestamp),
  /** The work tree in which it is checked out; null: none. */
  checkedOutIn: Nullable(Type.String()),
})
export type GitRef = Static<typeof GitRef>

export const GitRefs = Type.Object({
  /** Those with the newest commits first. */
  items: Type.Array(GitRef),
  /** Whether there are more than {@link GIT_REFS_MAX}. */
  truncated: Type.Boolean(),
})
export type GitRefs = Static<typeof GitRefs>

export const CreateBranch = Type.Object(
  {
    repository: RepositoryPath,
    name: Branch,
    /** Where it begins. By default at the commit that is checked out. A branch of a remote is then followed. */
    from: Type.Optional(Reference),
    /** Whether it is checked out. */
    switch: Type.Optional(Type.Boolean({ default: false })),
    runHooks: RunHooks,
  },
  { additionalProperties: false },
)
export type CreateBranch = Static<typeof CreateBranch>

export const SwitchBranch = Type.Object(
  { repository: RepositoryPath, name: Branch, runHooks: RunHooks },
  { additionalProperties: false },
)
export type SwitchBranch = Static<typeof SwitchBranch>
