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
})
export type CodingSessionDiff = Static<typeof CodingSessionDiff>
