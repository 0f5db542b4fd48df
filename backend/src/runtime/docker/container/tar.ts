/** Small tar archives, as the engine's archive API gives and takes them. */

const BLOCK = 512
/** Where a header has its fields, in bytes. */
const MODE = { at: 100, length: 8 }
const UID = { at: 108, length: 8 }
const GID = { at: 116, length: 8 }
const SIZE = { at: 124, length: 12 }
const MODIFIED = { at: 136, length: 12 }
const CHECKSUM = { at: 148, length: 8 }
const TYPE = 156
const MAGIC = 257
/** POSIX: "0", or NUL in older archives. */
const REGULAR = new Set(['0', '\0'])
const FOLDER = '5'
/** Headers that only say more about the next one, in the formats of POSIX and GNU. */
const EXTENSIONS = new Set(['x', 'g', 'L', 'K'])
/** Two empty blocks. */
const END = Buffer.alloc(2 * BLOCK)

interface Field {
  readonly at: number
  readonly length: number
}

const padded = (size: number): number => Math.ceil(size / BLOCK) * BLOCK
const typeOf = (header: Buffer): string => header.toString('latin1', TYPE, TYPE + 1)
const read = (header: Buffer, { at, length }: Field): number =>
  Number.parseInt(header.toString('latin1', at, at + length), 8) || 0
const write = (header: Buffer, { at, length }: Field, value: number): void => {
  header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1')
}
/** The sum of the header's bytes, with spaces in place of the sum. */
const sign = (header: Buffer): void => {
  header.fill(' ', CHECKSUM.at, CHECKSUM.at + CHECKSUM.length)
  const sum = header.reduce((all, byte) => all + byte, 0)
  write(header, { ...CHECKSUM, length: CHECKSUM.length - 1 }, sum)
}

/** Each header with its place, up to the end or to where the archive was cut. */
function* headersOf(archive: Buffer): Generator<{ header: Buffer; at: number; size: number }> {
  for (let at = 0; at + BLOCK <= archive.length && archive[at] !== 0;) {
    const header = archive.subarray(at, at + BLOCK)
    const size = read(header, SIZE)
    yield { header, at, size }
    at += BLOCK + padded(size)
  }
}

/** The first regular file's content; empty where there is none, as for a link. */
export const fileIn = (archive: Buffer): Buffer => {
  for (const { header, at, size } of headersOf(archive))
    if (REGULAR.has(typeOf(header))) return archive.subarray(at + BLOCK, at + BLOCK + size)
  return Buffer.alloc(0)
}

/** The user id of the first entry, of which the beginning of the archive is enough; 0 where there is none. */
export const ownerIn = (archive: Buffer): number => {
  for (const { header } of headersOf(archive)) if (!EXTENSIONS.has(typeOf(header))) return read(header, UID)
  return 0
}

/** A whole archive with everything in it as that user's. The folder itself comes last: with its owner, all have theirs. */
export const withOwner = (archive: Buffer, uid: number, gid: number): Buffer => {
  const copy = Buffer.from(archive)
  /** Where the folder's entry ends; null until the first entry was seen. */
  let folder: number | null = null
  let end = 0
  for (const { header, at, size } of headersOf(copy)) {
    end = at + BLOCK + padded(size)
    if (EXTENSIONS.has(typeOf(header))) continue
    folder ??= typeOf(header) === FOLDER ? end : 0
    write(header, UID, uid)
    write(header, GID, gid)
    sign(header)
  }
  return Buffer.concat([copy.subarray(folder ?? 0, end), copy.subarray(0, folder ?? 0), END])
}

/** One file of root's, which all may read. */
export const tarOf = (name: string, content: Buffer): Buffer => {
  const header = Buffer.alloc(BLOCK)
  header.write(name, 0, MODE.at, 'latin1')
  write(header, MODE, 0o644)
  write(header, UID, 0)
  write(header, GID, 0)
  write(header, SIZE, content.length)
  write(header, MODIFIED, Math.floor(Date.now() / 1000))
  header.write('0', TYPE, 'latin1')
  header.write('ustar\x0000', MAGIC, 'latin1')
  sign(header)
  return Buffer.concat([header, content, Buffer.alloc(padded(content.length) - content.length), END])
}
