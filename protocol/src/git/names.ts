/** How requests name repositories, files, branches and commits. */
import Type from 'typebox'
import { BRANCH_MAX, BRANCH_PATTERN } from './publications.ts'

/** The work tree of a repository, relative to the home, such as `work/app`; `.` is the home itself. */
export const RepositoryPath = Type.String({
  minLength: 1,
  maxLength: 4096,
  pattern: '^(?!/)(?!(?:.*/)?\\.\\.(?:/|$))[^\\u0000\\n]+$',
})
/** The bytes of a path in base64url, since a path may have any bytes. */
export const FileId = Type.String({ minLength: 1, maxLength: 6_000, pattern: '^[A-Za-z0-9_-]+$' })
export const Commit = Type.String({ pattern: '^[0-9a-f]{40,64}$' })
export const Branch = Type.String({ maxLength: BRANCH_MAX, pattern: BRANCH_PATTERN })
/** Lets git run in the repository itself, with its hooks, filters and configuration. */
export const RunHooks = Type.Optional(
  Type.Boolean({
    description:
      'Whether git runs in the repository itself, with its hooks and filters, as in a terminal. Its programs then run in the agent. `false` by default.',
  }),
)
/** A branch, a branch of a remote, a tag or a commit. */
export const Reference = Type.String({ maxLength: 2 * BRANCH_MAX, pattern: BRANCH_PATTERN })
