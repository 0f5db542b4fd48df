/** Reads what the script printed. It comes from the container, so it may be anything. */
import {
  type ChangedFile,
  DIFF_FILE_PATCH_BYTES,
  DIFF_FILES_MAX,
  DIFF_PATCH_BYTES,
  type CodingSessionDiff,
} from '@slipway/protocol'
import { RuntimeError } from '../../../runtime/errors.ts'

/** Longest list of changed files, and longest patch, that a script prints, in bytes. */
export const PART_BYTES = 4_194_304
/** More than the lengths and the sums of `compare` take, in bytes. */
export const HEAD_BYTES = 4096

/** Removes secrets from a text. */
export interface Mask {
  mask(text: string): string
}

/** What changed, without whose change it is. */
export type Changes = Omit<CodingSessionDiff, 'sessionId' | 'live' | 'tree' | 'continues' | 'reason'>

/** Nothing is known: the folder is in no work tree, or it could not be read. */
export const UNKNOWN: Changes = {
  changesDetected: null,
  filesChanged: null,
  insertions: null,
  deletions: null,
  files: [],
  truncated: false,
}

/** Files from this size on are not compared line by line, in bytes: `core.bigFileThreshold` of the script. */
const BIG_FILE_BYTES = 4_194_304
/** The largest number that the database stores. */
const INT_MAX = 2_147_483_647
const PARTS = 5
const SECTION = Buffer.from('diff --git ')
const NEXT_SECTION = Buffer.from('\ndiff --git ')

const broken = (): RuntimeError => new RuntimeError('engine_error', 'the script printed something else')
const intOf = (digits: string): number => Math.min(Number(digits), INT_MAX)

/** A changed file, as git lists it. */
interface Listed {
  readonly letter: string
  readonly oldId: string
  readonly newId: string
  readonly oldPath: string | null
  readonly path: string
}

/** Lines of a file; null if git did not count them. */
interface Lines {
  readonly insertions: number
  readonly deletions: number
}

/** Throws a `RuntimeError` for an output that is not the script's. `tree`: the work tree that was compared. */
export const changesIn = (stdout: Buffer, masking: Mask): Changes & { readonly tree: string } => {
  const [sums, list, sizes, patch, of] = partsOf(stdout)
  const [, tree] = /^([0-9a-f]{40,64})\n$/.exec(of.toString('latin1')) ?? []
  if (tree === undefined) throw broken()
  const counts = countsOf(sums.toString('latin1'))
  const { listed, lines } = listIn(list)
  const files = filesOf(listed.slice(0, DIFF_FILES_MAX), { lines, sizes: sizesIn(sizes), patches: sectionsOf(patch) })
  return {
    changesDetected: counts.filesChanged > 0,
    ...counts,
    files: files.map((file) => ({
      ...file,
      path: masking.mask(file.path),
      oldPath: file.oldPath === null ? null : masking.mask(file.oldPath),
      patch: file.patch === null ? null : masking.mask(file.patch),
    })),
    truncated: files.length < counts.filesChanged || files.some(({ tooLarge }) => tooLarge),
    tree,
  }
}

/** The script prints the length of each part in a line, and then the parts. */
const partsOf = (stdout: Buffer): readonly [Buffer, Buffer, Buffer, Buffer, Buffer] => {
  const lengths: number[] = []
  let at = 0
  while (lengths.length < PARTS) {
    const end = stdout.indexOf('\n', at)
    const line = end === -1 ? '' : stdout.toString('latin1', at, end)
    // Some implementations of `wc` put blanks before a number.
    if (!/^ *\d{1,9}$/.test(line)) throw broken()
    lengths.push(Number(line))
    at = end + 1
  }
  const [sums = 0, list = 0, sizes = 0, patch = 0, tree = 0] = lengths
  if (stdout.length !== at + sums + list + sizes + patch + tree) throw broken()
  const next = (length: number): Buffer => stdout.subarray(at, (at += length))
  return [next(sums), next(list), next(sizes), next(patch), next(tree)]
}

/** Such as ` 3 files changed, 5 insertions(+), 1 deletion(-)`; empty if nothing changed. */
const countsOf = (text: string): { filesChanged: number; insertions: number; deletions: number } => {
  const found =
    /^(?: (\d{1,15}) files? changed(?:, (\d{1,15}) insertions?\(\+\))?(?:, (\d{1,15}) deletions?\(-\))?\n)?$/
  const match = found.exec(text)
  if (!match) throw broken()
  const [, filesChanged = '0', insertions = '0', deletions = '0'] = match
  return { filesChanged: intOf(filesChanged), insertions: intOf(insertions), deletions: intOf(deletions) }
}

/** Reads git's `--raw` and then its `--numstat`. A list that is too long is cut, and a record that is cut does not count. */
const listIn = (list: Buffer): { listed: Listed[]; lines: Map<string, Lines | null> } => {
  // One character for each byte, since a path may have any.
  const tokens = list.toString('latin1').split('\0')
  tokens.pop()
  const listed: Listed[] = []
  let at = 0
  for (; tokens[at]?.startsWith(':') === true;) {
    const match = /^:\d{6} \d{6} ([0-9a-f]{40,64}) ([0-9a-f]{40,64}) ([A-Z])\d{0,3}$/.exec(tokens[at] ?? '')
    if (!match) throw broken()
    const [, oldId = '', newId = '', letter = ''] = match
    const isMoved = letter === 'R'
    const oldPath = isMoved ? tokens[at + 1] : null
    const path = tokens[at + (isMoved ? 2 : 1)]
    if (path === undefined || oldPath === undefined) break
    listed.push({ letter, oldId, newId, oldPath, path })
    at += isMoved ? 3 : 2
  }
  const lines = new Map<string, Lines | null>()
  while (at < tokens.length) {
    const match = /^(\d{1,10}|-)\t(\d{1,10}|-)\t([^]*)$/.exec(tokens[at] ?? '')
    if (!match) break
    const [, insertions = '', deletions = '', name = ''] = match
    const path = name === '' ? tokens[at + 2] : name
    if (path === undefined) break
    const isCounted = insertions !== '-' && deletions !== '-'
    lines.set(path, isCounted ? { insertions: intOf(insertions), deletions: intOf(deletions) } : null)
    at += name === '' ? 3 : 1
  }
  return { listed, lines }
}

/** Lines of an object's id and its size. */
const sizesIn = (sizes: Buffer): Map<string, number> =>
  new Map(
    [...sizes.toString('latin1').matchAll(/^([0-9a-f]{40,64}) (\d{1,15})$/gm)].map(([, id = '', size]) => [
      id,
      Number(size),
    ]),
  )

/**
 * The parts of a unified diff, in order. No line of a file's content begins like one. The last one of a diff that was
 * cut is incomplete, so it is left out.
 */
const sectionsOf = (patch: Buffer): Buffer[] => {
  if (patch.length === 0) return []
  if (!patch.subarray(0, SECTION.length).equals(SECTION)) throw broken()
  const sections: Buffer[] = []
  let at = 0
  for (;;) {
    const next = patch.indexOf(NEXT_SECTION, at)
    if (next === -1) break
    sections.push(patch.subarray(at, next + 1))
    at = next + 1
  }
  if (patch.length < PART_BYTES) sections.push(patch.subarray(at))
  return sections
}

interface Details {
  readonly lines: ReadonlyMap<string, Lines | null>
  readonly sizes: ReadonlyMap<string, number>
  readonly patches: readonly Buffer[]
}

const filesOf = (listed: readonly Listed[], { lines, sizes, patches }: Details): ChangedFile[] => {
  let section = 0
  let room = DIFF_PATCH_BYTES
  return listed.map(({ letter, oldId, newId, oldPath, path }) => {
    // A file that became a link, or the reverse, has one part for its deletion and one for what is new.
    const parts = patches.slice(section, (section += letter === 'T' ? 2 : 1))
    const patch = Buffer.concat(parts)
    const size = sizes.get(newId) ?? null
    const counted = lines.get(path)
    const isBig = Math.max(size ?? 0, sizes.get(oldId) ?? 0) >= BIG_FILE_BYTES
    const binary = counted === null && !isBig
    const fits = parts.length > 0 && patch.length <= Math.min(DIFF_FILE_PATCH_BYTES, room)
    const isShown = fits && !binary && !isBig
    if (isShown) room -= patch.length
    return {
      path: textOf(path),
      oldPath: oldPath === null ? null : textOf(oldPath),
      status: statusOf(letter),
      insertions: counted?.insertions ?? null,
      deletions: counted?.deletions ?? null,
      binary,
      size,
      tooLarge: !isShown && !binary,
      patch: isShown ? patch.toString('utf8') : null,
    }
  })
}

const textOf = (path: string): string => Buffer.from(path, 'latin1').toString('utf8')

const statusOf = (letter: string): ChangedFile['status'] => {
  switch (letter) {
    case 'A':
      return 'added'
    case 'D':
      return 'deleted'
    case 'R':
      return 'renamed'
    default:
      return 'modified'
  }
}
