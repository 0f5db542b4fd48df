/** Where a file is, as a caller writes it. Pure: what links make of it is decided inside the container. */
import { posix } from 'node:path'
import { AGENT_HOME } from '@slipway/protocol'
import { AppError } from '../../lib/errors.ts'
import type { PathBytes } from './path-bytes.ts'

/** Longest path in bytes, of the kernel's (PATH_MAX, limits.h). */
const PATH_BYTES = 4096
/** Longest name in bytes, of the kernel's (NAME_MAX, limits.h). */
const NAME_BYTES = 255

/**
 * The absolute path inside the home for `notes/today.md`, `~/notes/today.md` or `/home/developer/notes/today.md`.
 * Throws `VALIDATION` for what is no path, and `OUTSIDE_HOME` for what plainly leads elsewhere.
 */
export const toHomePath = (path: PathBytes): PathBytes => {
  if (path === '' || path.includes('\0') || path.length > PATH_BYTES - AGENT_HOME.length)
    throw new AppError('VALIDATION', 'path: must be the path of a file or a folder in the home.')
  if (path.split('/').includes('..')) throw outsideHome()
  const relative = path === '~' || path.startsWith('~/') ? `.${path.slice(1)}` : path
  const absolute = posix.resolve(AGENT_HOME, relative)
  if (absolute !== AGENT_HOME && !absolute.startsWith(`${AGENT_HOME}/`)) throw outsideHome()
  return absolute
}

/** Like {@link toHomePath}, for a file that is to be written: its folder and its name. */
export const toTarget = (path: PathBytes): { folder: PathBytes; name: PathBytes } => {
  const absolute = toHomePath(path)
  if (absolute === AGENT_HOME || path.endsWith('/'))
    throw new AppError('VALIDATION', 'path: must name a file; this is a folder.')
  const name = posix.basename(absolute)
  if (name.length > NAME_BYTES) throw new AppError('VALIDATION', 'path: the name is too long.')
  return { folder: posix.dirname(absolute), name }
}

/** The path, or the links on it, leave the home. */
export const outsideHome = (): AppError =>
  new AppError('OUTSIDE_HOME', `Only what is in the agent's home, ${AGENT_HOME}, can be read and written.`)
