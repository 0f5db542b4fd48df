/** Checks a file's path as the caller wrote it. Pure: the script in the container resolves links. */
import { posix } from 'node:path'
import { AGENT_HOME } from '@slipway/protocol'
import { AppError } from '../../lib/errors.ts'
import type { PathBytes } from './path-bytes.ts'

/** The kernel's longest path, in bytes (PATH_MAX, limits.h). */
const PATH_BYTES = 4096
/** The kernel's longest name, in bytes (NAME_MAX, limits.h). */
const NAME_BYTES = 255

/**
 * The absolute path inside the home for `notes/today.md`, `~/notes/today.md` or `/home/developer/notes/today.md`.
 * Throws `VALIDATION` for an invalid path, and `OUTSIDE_HOME` for a path that plainly leaves the home.
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

/** Like {@link toHomePath} for a file to write: its folder and its name. */
export const toTarget = (path: PathBytes): { folder: PathBytes; name: PathBytes } => {
  const absolute = toHomePath(path)
  if (absolute === AGENT_HOME || path.endsWith('/'))
    throw new AppError('VALIDATION', 'path: must name a file; this is a folder.')
  const name = posix.basename(absolute)
  if (name.length > NAME_BYTES) throw new AppError('VALIDATION', 'path: the name is too long.')
  return { folder: posix.dirname(absolute), name }
}

/** The path, or a link on it, leaves the home. */
export const outsideHome = (): AppError =>
  new AppError('OUTSIDE_HOME', `The path must stay in the agent's home, ${AGENT_HOME}.`)
