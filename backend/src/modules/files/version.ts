/**
 * The version of a file or a folder, as the scripts print it: inode, size, and the times of the last change of the content
 * and of the inode, to the nanosecond. It changes whenever the content may have changed.
 */
import { AppError } from '../../lib/errors.ts'

/** Digits and dashes, without a meaning to clients. */
export type FileVersion = string

/** In place of a version: there must be no file. */
export const ABSENT = 'none'

/** Longest version: two numbers of 64 bits and two times. */
export const VERSION_CHARS = 160

const VERSION = /^\d[\d-]*$/

export const isVersion = (text: string): boolean => text.length <= VERSION_CHARS && VERSION.test(text)

/** The value of the header `ETag` (RFC 9110, 8.8.3). */
export const etagOf = (version: FileVersion): string => `"${version}"`

/** The headers of a conditional upload. */
interface Conditions {
  readonly 'if-match'?: string | undefined
  readonly 'if-none-match'?: string | undefined
}

/**
 * What must be in a file's place, by the headers `If-Match` and `If-None-Match` (RFC 9110, 13.1). Throws `VALIDATION` for
 * a condition that is never ignored and not understood.
 */
export const expectedBy = (headers: Conditions): FileVersion | null => {
  const [match, none] = [headers['if-match'], headers['if-none-match']]
  if (match !== undefined && none !== undefined)
    throw new AppError('VALIDATION', 'Send either If-Match or If-None-Match.')
  if (none === '*') return ABSENT
  if (none !== undefined) throw new AppError('VALIDATION', 'If-None-Match: must be *.')
  if (match === undefined) return null
  const version = /^"(.*)"$/.exec(match)?.[1] ?? ''
  if (!isVersion(version)) throw new AppError('VALIDATION', 'If-Match: must be an ETag of a file.')
  return version
}
