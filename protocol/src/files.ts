/** The folders of an agent's home. */
import Type, { type Static } from 'typebox'

/** Most entries in one listing of a folder. */
export const FOLDER_ENTRIES_MAX = 1000

export const FolderQuery = Type.Object(
  { path: Type.String({ minLength: 1, maxLength: 4096, pattern: '^[^\\u0000]*$' }) },
  { additionalProperties: false },
)
export type FolderQuery = Static<typeof FolderQuery>

export const FolderEntry = Type.Object({
  name: Type.String(),
  /** What it is with links followed. */
  kind: Type.Union([Type.Literal('file'), Type.Literal('folder')]),
})
export type FolderEntry = Static<typeof FolderEntry>

export const FolderListing = Type.Object({
  /** The absolute path with links resolved. */
  path: Type.String(),
  /** Hidden entries last. Names that are not UTF-8 are not listed, and nothing but files and folders is. */
  items: Type.Array(FolderEntry),
  /** Whether the folder has more than {@link FOLDER_ENTRIES_MAX} entries. */
  truncated: Type.Boolean(),
})
export type FolderListing = Static<typeof FolderListing>
