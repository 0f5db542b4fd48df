/** Reads git's list of changed files, and what the script says before it. It comes from the container, so it may be anything. */
import { GIT_FILES_MAX, type GitChange, type GitFile, type GitStatus } from '@slipway/protocol'
import { RuntimeError } from '../../runtime/errors.ts'
import { compareUrl, hostedOf, shownUrl } from './host.ts'
import { idOf, partsOf, textOf } from './paths.ts'
import { STATUS_BYTES } from './program.ts'

/** The parts that the script prints before git's list. */
const HEAD_PARTS = 9
const WORK: Readonly<Record<string, GitStatus['unfinished']>> = {
  MERGE_HEAD: 'merge',
  CHERRY_PICK_HEAD: 'cherry-pick',
  REVERT_HEAD: 'revert',
  BISECT_LOG: 'bisect',
  'rebase-merge': 'rebase',
  'rebase-apply': 'rebase',
}
const CHANGES: Readonly<Record<string, GitChange>> = {
  ...{ A: 'added', M: 'modified', D: 'deleted', R: 'renamed', C: 'copied', T: 'type' },
}
/** What precedes the path in a record, as a number of blanks, by its first character. */
const FIELDS: Readonly<Record<string, number>> = { 1: 8, 2: 9, u: 10, '?': 1, '!': 1 }

/** Throws a `RuntimeError` for what the script does not print. */
export const statusIn = (output: Buffer): GitStatus => {
  const parts = partsOf(output)
  if (parts.length < HEAD_PARTS) throw new RuntimeError('engine_error', 'the script printed something else')
  const [branch, commit, upstream, more, less, work, name, url, base] = parts
    .slice(0, HEAD_PARTS)
    .map((part) => textOf(part) || null)
  const hosted = url ? hostedOf(url) : null
  const files = filesIn(parts.slice(HEAD_PARTS))
  return {
    branch: branch ?? null,
    commit: commit ?? null,
    upstream: upstream?.replace(/^refs\/(?:remotes|heads)\//, '') ?? null,
    ahead: countOf(more),
    behind: countOf(less),
    unfinished: WORK[work ?? ''] ?? null,
    remote: name && url ? { name, url: shownUrl(url) } : null,
    compareUrl: hosted && branch && base && branch !== base ? compareUrl(hosted, base, branch) : null,
    files: files.slice(0, GIT_FILES_MAX),
    truncated: files.length > GIT_FILES_MAX || output.length >= STATUS_BYTES,
  }
}

const countOf = (digits: string | null | undefined): number | null =>
  digits && /^\d{1,9}$/.test(digits) ? Number(digits) : null

const filesIn = (records: readonly Buffer[]): GitFile[] => {
  const files: GitFile[] = []
  for (let at = 0; at < records.length && files.length <= GIT_FILES_MAX; at += 1) {
    const record = records[at] ?? Buffer.alloc(0)
    const letter = String.fromCharCode(record[0] ?? 0)
    const path = afterBlanks(record, FIELDS[letter] ?? 0)
    // A record that was cut, or a line that says something else.
    if (path === null) continue
    if (letter !== '2') files.push(fileOf(letter, record, path, null))
    else {
      at += 1
      const old = records[at]
      if (old) files.push(fileOf(letter, record, path, old))
    }
  }
  return files
}

/** What follows this many blanks; null if there are fewer, or none were asked for. */
const afterBlanks = (record: Buffer, blanks: number): Buffer | null => {
  let at = 0
  for (let blank = 0; blank < blanks; blank += 1) {
    at = record.indexOf(0x20, at) + 1
    if (at === 0) return null
  }
  return blanks === 0 || at >= record.length ? null : record.subarray(at)
}

const fileOf = (letter: string, record: Buffer, path: Buffer, old: Buffer | null): GitFile => {
  const [, states = '', submodule = ''] = record.toString('latin1', 0, 16).split(' ')
  const isKnown = letter === '1' || letter === '2'
  const isRepository = (isKnown && submodule.startsWith('S')) || (letter === '?' && path.at(-1) === 0x2f)
  const kinds = { '?': 'untracked', '!': 'ignored', u: 'conflict' } as const
  const kind = letter in kinds ? kinds[letter as keyof typeof kinds] : 'changed'
  return {
    id: idOf(path),
    path: textOf(path),
    oldId: old && idOf(old),
    oldPath: old && textOf(old),
    staged: isKnown ? (CHANGES[states.charAt(0)] ?? null) : null,
    unstaged: isKnown ? (CHANGES[states.charAt(1)] ?? null) : letter === 'u' ? 'modified' : 'added',
    kind: isRepository ? 'repository' : kind,
  }
}
