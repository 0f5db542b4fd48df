/** The stashes of a repository. */
import Type, { type Static } from 'typebox'
import { Nullable, Timestamp } from '../common.ts'
import { Commit, RepositoryPath } from './names.ts'

/** Most stashes that are listed. */
export const STASHES_MAX = 200

export const GitStash = Type.Object({
  /** 0 is the newest one. */
  at: Type.Integer(),
  commit: Type.String(),
  text: Type.String(),
  stashedAt: Nullable(Timestamp),
})
export type GitStash = Static<typeof GitStash>

export const GitStashes = Type.Object({ items: Type.Array(GitStash), truncated: Type.Boolean() })
export type GitStashes = Static<typeof GitStashes>

/** Longest message of a stash. It is one line. */
export const STASH_MESSAGE_MAX = 500

export const CreateStash = Type.Object(
  {
    repository: RepositoryPath,
    /** Without one, git's usual words. */
    message: Type.Optional(Type.String({ maxLength: STASH_MESSAGE_MAX, pattern: '^[^\\u0000-\\u001f\\u007f]*$' })),
    /** Also files that git does not know. */
    untracked: Type.Optional(Type.Boolean({ default: false })),
  },
  { additionalProperties: false },
)
export type CreateStash = Static<typeof CreateStash>

export const CreatedStash = Type.Object({ commit: Type.String() })
export type CreatedStash = Static<typeof CreatedStash>

/** The commit makes sure that it is the stash that the user saw. */
export const UseStash = Type.Object(
  { repository: RepositoryPath, at: Type.Integer({ minimum: 0, maximum: 100_000 }), commit: Commit },
  { additionalProperties: false },
)
export type UseStash = Static<typeof UseStash>

export const AppliedStash = Type.Object({
  /** The files in conflict, which have both versions now. Empty: there is none. */
  conflicts: Type.Array(Type.String()),
})
export type AppliedStash = Static<typeof AppliedStash>
