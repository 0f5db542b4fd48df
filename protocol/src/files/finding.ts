/** Files of an agent's home by the paths that programs print, and uploads to it. */
import Type, { type Static } from 'typebox'
import { Nullable } from '../common.ts'

/** Largest file for an upload, in bytes: 1 GiB. For larger files use a repository or an object store. */
export const MAX_UPLOAD_BYTES = 1_073_741_824

/** Most paths in one search: more than a line of a terminal holds. */
export const FIND_PATHS_MAX = 16
/** Paths as a program printed them, absolute or relative, without control characters. */
export const FindFiles = Type.Object(
  {
    paths: Type.Array(Type.String({ minLength: 1, maxLength: 1024, pattern: '^[^\\u0000-\\u001f\\u007f]+$' }), {
      minItems: 1,
      maxItems: FIND_PATHS_MAX,
    }),
  },
  { additionalProperties: false },
)
export type FindFiles = Static<typeof FindFiles>

/** The answer for one path. Answers have the order of the request. */
export const FoundFile = Type.Object({
  kind: Nullable(Type.Union([Type.Literal('file'), Type.Literal('folder')])),
  /** In bytes; 0 for a folder. */
  size: Type.Integer(),
  /** The absolute path with links resolved; null if there is no such file in the home. */
  path: Nullable(Type.String()),
  /**
   * Only if the path is not UTF-8, so that `path` contains U+FFFD: its bytes percent-encoded, to append to `?path=`
   * unchanged.
   */
  encodedPath: Type.Optional(Type.String()),
})
export type FoundFile = Static<typeof FoundFile>
