/** What a run changed in the git work tree of its folder. */
import Type, { type Static } from 'typebox'
import { Nullable } from '../common.ts'

/** Most files that a diff lists. */
export const DIFF_FILES_MAX = 1000
/** Largest patch of one file, and of all files of a diff together, in bytes. */
export const DIFF_FILE_PATCH_BYTES = 262_144
export const DIFF_PATCH_BYTES = 1_048_576

/** How much changed. Each is null while the task is active, if it is in no work tree, and if that could not be read. */
export const ChangeCounts = Type.Object({
  changesDetected: Nullable(Type.Boolean()),
  filesChanged: Nullable(Type.Integer()),
  /** Lines. */
  insertions: Nullable(Type.Integer()),
  deletions: Nullable(Type.Integer()),
})
export type ChangeCounts = Static<typeof ChangeCounts>

export const ChangedFile = Type.Object({
  /** Relative to the top of the work tree. Bytes that are not UTF-8 are replaced, here and in the patch. */
  path: Type.String(),
  /** Its path before it was renamed, or null. */
  oldPath: Nullable(Type.String()),
  status: Type.Enum(['added', 'modified', 'deleted', 'renamed'] as const),
  /** Lines; null if it is binary or too large to count. */
  insertions: Nullable(Type.Integer()),
  deletions: Nullable(Type.Integer()),
  binary: Type.Boolean(),
  /** In bytes; null if it was deleted, and for a submodule. */
  size: Nullable(Type.Integer()),
  /** Whether its patch is left out because it, or the whole diff, is too large. */
  tooLarge: Type.Boolean(),
  /** Its part of the unified diff; null if it is binary or too large. */
  patch: Nullable(Type.String()),
})
export type ChangedFile = Static<typeof ChangedFile>

export const CodingSessionDiff = Type.Object({
  sessionId: Type.String(),
  /** Whether the task is active, so that more may follow. */
  live: Type.Boolean(),
  ...ChangeCounts.properties,
  /** At most {@link DIFF_FILES_MAX}, by path. */
  files: Type.Array(ChangedFile),
  /** Whether a file or the patch of one is left out because of its size. */
  truncated: Type.Boolean(),
  /** The work tree that it was compared with, for requests to discard. Only with `since`, once the task has ended. */
  tree: Type.Optional(Type.String()),
  /** Whether the conversation has an earlier task. Only with `since`. */
  continues: Type.Optional(Type.Boolean()),
  /** Why it is the diff until the end of the task, although `since` was asked for. */
  reason: Type.Optional(Type.String()),
})
export type CodingSessionDiff = Static<typeof CodingSessionDiff>

/** Since when: the start of the task, or that of the first task of its conversation. */
const Since = Type.Enum(['turn', 'start'] as const)
export type DiffSince = Static<typeof Since>

export const DiffQuery = Type.Object({
  /** Compares with the work tree as it is now, not as it was at the end of the task. If it cannot, `turn` says why. */
  since: Type.Optional(Since),
})
export type DiffQuery = Static<typeof DiffQuery>

/** The id of a git tree. */
const Tree = Type.String({ pattern: '^[0-9a-f]{40,64}$' })
/** Relative to the top of the work tree. */
const Path = Type.String({ minLength: 1, maxLength: 4096, pattern: '^[^\\u0000]+$' })

export const DiscardChanges = Type.Object(
  {
    since: Since,
    /** Of the diff in which the user saw it. */
    tree: Tree,
    path: Path,
    /** The path before it was renamed. */
    oldPath: Type.Optional(Nullable(Path)),
    /** A hunk of the file's patch, from 0 on. Without it: the whole file. */
    hunk: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: DIFF_FILE_PATCH_BYTES }))),
  },
  { additionalProperties: false },
)
export type DiscardChanges = Static<typeof DiscardChanges>

/** The work tree before and after a discard. Send it to undo the discard. */
export const DiscardedChanges = Type.Object(
  { since: Since, before: Tree, after: Tree },
  { additionalProperties: false },
)
export type DiscardedChanges = Static<typeof DiscardedChanges>
