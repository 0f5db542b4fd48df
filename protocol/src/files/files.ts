/** The folders of an agent's home. */
import Type, { type Static } from 'typebox'
import { Nullable } from '../common.ts'

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

/** Most entries of one folder in the tree. */
export const TREE_ENTRIES_MAX = 200_000
/** Most files that one answer names, for a choice by name. */
export const NAMES_MAX = 100_000
/** Most paths whose versions one request asks for. */
export const VERSION_PATHS_MAX = 64
/** Most lines that one search finds, and most of them in one file. */
export const SEARCH_HITS_MAX = 2_000
export const SEARCH_PER_FILE_MAX = 200
/** Longest pattern, in UTF-16 code units. */
export const SEARCH_PATTERN_MAX = 500
/** Most text of a found line, in UTF-16 code units. */
export const SEARCH_TEXT_MAX = 300
/** Most deletions that the trash in a home keeps. */
export const TRASH_COUNT = 20
/** Most that the trash keeps besides the newest deletion, in KiB: 1 GiB. */
export const TRASH_KIB = 1_048_576

/** An entry of a folder. */
export interface TreeEntry {
  readonly name: string
  /** What it is with links followed. A pipe, a socket, or a link to nothing is `other`. */
  readonly kind: 'file' | 'folder' | 'other'
  readonly isLink?: true
  /** Only if the name is not UTF-8, so that `name` contains U+FFFD: its bytes percent-encoded. */
  readonly encodedName?: string
}

/** A line in which a search has found something. */
export interface SearchHit {
  /** Below the searched folder. */
  readonly path: string
  /** As in {@link TreeEntry}. */
  readonly encodedPath?: string
  /** From 1. */
  readonly line: number
  /** A part of the line, at most {@link SEARCH_TEXT_MAX}. */
  readonly text: string
  /** Where the matches begin and end in `text`, in UTF-16 code units. */
  readonly marks: readonly (readonly [from: number, to: number])[]
}

/** The last line of a list. */
export interface ListEnd {
  readonly type: 'end'
  /** Whether there is more, because a bound or the longest time was reached. */
  readonly truncated: boolean
  /** How many lines were too long to be searched. */
  readonly skipped?: number
}

/** A line of a list that arrives in parts. An `error` is the last one instead of an `end`. */
export type ListLine =
  | {
      readonly type: 'folder'
      readonly path: string
      readonly encodedPath?: string
      /** Of a listed folder, as in {@link FileVersions}. */
      readonly version?: string
    }
  | { readonly type: 'entries'; readonly items: readonly TreeEntry[] }
  | { readonly type: 'names'; readonly items: readonly string[]; readonly encodedItems?: readonly string[] }
  | { readonly type: 'hits'; readonly items: readonly SearchHit[] }
  | { readonly type: 'error'; readonly code: string; readonly message: string }
  | ListEnd

export const SearchFiles = Type.Object(
  {
    /** Text, or a regular expression in ripgrep's syntax. */
    pattern: Type.String({ minLength: 1, maxLength: SEARCH_PATTERN_MAX, pattern: '^[^\\u0000\\r\\n]+$' }),
    isRegex: Type.Optional(Type.Boolean()),
    matchesCase: Type.Optional(Type.Boolean()),
    /** Whether a match must be a whole word. */
    isWord: Type.Optional(Type.Boolean()),
    /** Whether to search in files that git ignores, caches and dependencies, too. */
    ignored: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)
export type SearchFiles = Static<typeof SearchFiles>

/** Paths as in an address, percent-encoded. */
export const FileVersionsQuery = Type.Object(
  {
    paths: Type.Array(Type.String({ minLength: 1, maxLength: 3 * 4096 }), {
      minItems: 1,
      maxItems: VERSION_PATHS_MAX,
    }),
  },
  { additionalProperties: false },
)
export type FileVersionsQuery = Static<typeof FileVersionsQuery>

/** In the order of the request. Null: there is no such file or folder. */
export const FileVersions = Type.Object({ items: Type.Array(Nullable(Type.String())) })
export type FileVersions = Static<typeof FileVersions>

/** Where a deleted file or folder is in the trash, percent-encoded. Null: it is gone. */
export const Removed = Type.Object({ encodedPath: Nullable(Type.String()) })
export type Removed = Static<typeof Removed>
