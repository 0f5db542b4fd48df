/** Paths are bytes: the kernel knows no character set. Requests name files by their bytes in base64url. */
import { AppError } from '../../lib/errors.ts'

/** Longest path, in bytes: PATH_MAX of Linux. */
const PATH_BYTES = 4096

export const idOf = (path: Buffer): string => path.toString('base64url')

/** As text; bytes that are not UTF-8 are replaced. */
export const textOf = (path: Buffer): string => path.toString('utf8')

/** Whether the text is all of the path. */
export const isText = (path: Buffer): boolean => Buffer.from(path.toString('utf8')).equals(path)

/** Throws `VALIDATION` for what names no file of a work tree. A folder ends with a slash. */
export const pathOf = (id: string): Buffer => {
  const path = Buffer.from(id, 'base64url')
  const parts = path.toString('latin1').replace(/\/$/, '').split('/')
  const isBad = parts.some((part) => part === '' || part === '.' || part === '..' || part.toLowerCase() === '.git')
  if (isBad || path.length > PATH_BYTES || path.includes(0) || idOf(path) !== id)
    throw new AppError('VALIDATION', 'A file is not named by the base64url of its path in the work tree.')
  return path
}

/** The paths in the order in which git has them: a file comes before the folder that takes its place. */
export const pathsOf = (ids: readonly string[]): Buffer[] => ids.map(pathOf).sort(Buffer.compare)

/** The parts of an output, each with a NUL behind it. What follows the last one is cut, and left out. */
export const partsOf = (output: Buffer): Buffer[] => {
  const parts: Buffer[] = []
  let at = 0
  for (let end = output.indexOf(0); end !== -1; end = output.indexOf(0, at)) {
    parts.push(output.subarray(at, end))
    at = end + 1
  }
  return parts
}
