/** Why a folder cannot be used, in the words of the operator who has to repair it. */
import { accessSync, constants, statfsSync } from 'node:fs'

/** The system's codes for faults that an operator can repair. */
const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'there is no room left on its disk',
  EDQUOT: 'its disk quota is used up',
  EROFS: 'its file system is read-only',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EEXIST: 'it is not a folder',
  ENOTDIR: 'it is not a folder',
  ENOENT: 'it cannot be created there',
  ENAMETOOLONG: 'its path is too long',
  ELOOP: 'its symbolic links lead in a circle',
  EIO: 'its disk reports an error',
}
/** The same codes as the embedded database has them, whose system is WebAssembly (WASI's numbers). */
const NUMBERS: Readonly<Record<number, string>> = {
  2: 'EACCES',
  19: 'EDQUOT',
  29: 'EIO',
  51: 'ENOSPC',
  54: 'ENOTDIR',
  63: 'EPERM',
  69: 'EROFS',
}
/** PostgreSQL's code for a full disk. */
const POSTGRES_DISK_FULL = '53100'

/** The shapes that errors have; every field may be missing. */
interface ErrorLike {
  readonly code?: unknown
  readonly errno?: unknown
  readonly cause?: unknown
  readonly meta?: { readonly driverAdapterError?: { readonly cause?: { readonly originalCode?: unknown } } }
}

/** The reason that an error itself states, as the end of a sentence; null if it states none. */
export function folderFault(error: unknown): string | null {
  if (typeof error !== 'object' || error === null) return null
  const { code, errno, cause, meta } = error as ErrorLike
  if ([code, meta?.driverAdapterError?.cause?.originalCode].includes(POSTGRES_DISK_FULL)) return REASONS['ENOSPC']!
  const name = typeof code === 'string' ? code : typeof errno === 'number' ? NUMBERS[errno] : undefined
  return REASONS[name ?? ''] ?? (cause === error ? null : folderFault(cause))
}

/** Whether the error says that a disk or a quota has no room. */
export const isDiskFull = (error: unknown): boolean => {
  const fault = folderFault(error)
  return fault !== null && [REASONS['ENOSPC'], REASONS['EDQUOT']].includes(fault)
}

/** The reason that an existing folder shows when something failed there that needs `room` bytes; null if it shows none. */
export function faultOfFolder(dir: string, room: number): string | null {
  try {
    accessSync(dir, constants.W_OK | constants.X_OK)
    const { bavail, bsize } = statfsSync(dir)
    return bavail * bsize < room ? REASONS['ENOSPC']! : null
  } catch (error) {
    return folderFault(error)
  }
}

/** One sentence that names the variable and the folder. */
export const dataFolderSentence = (dir: string, reason: string): string =>
  `SLIPWAY_DATA_DIR: the data folder ${dir} cannot be used: ${reason}`
