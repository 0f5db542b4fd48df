/** Paths of an agent's home. They are absolute; `lib/pathBytes.ts` says how they hold any bytes. */
import { AGENT_HOME } from '@slipway/protocol'
import { withHiddenInSight } from '@/lib/format/directions.ts'
import { decodePath, encodePath } from '@/lib/pathBytes.ts'

export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

export const parentOf = (path: string): string => (path === AGENT_HOME ? path : path.slice(0, path.lastIndexOf('/')))

/** `~/project` for `/home/developer/project`. */
export const shortOf = (path: string): string =>
  path === AGENT_HOME || path.startsWith(`${AGENT_HOME}/`) ? `~${path.slice(AGENT_HOME.length)}` : path

/** The path that a user wrote, absolute. Null if it is not in the home. */
export function absoluteOf(text: string): string | null {
  const path = text.trim()
  const absolute = path.startsWith('/') ? path : `${AGENT_HOME}/${path.replace(/^~\/?/, '')}`
  const parts = absolute.split('/').filter((part) => part !== '' && part !== '.')
  const clean = `/${parts.join('/')}`
  return !parts.includes('..') && (clean === AGENT_HOME || clean.startsWith(`${AGENT_HOME}/`)) ? clean : null
}

/** The folders from the home to a path, without both. */
export function foldersTo(path: string): string[] {
  const folders: string[] = []
  for (let at = parentOf(path); at.length > AGENT_HOME.length; at = parentOf(at)) folders.unshift(at)
  return folders
}

/** A path in the address of the page: `~/project/a.txt`, with the bytes of {@link encodePath}. */
export const placeOf = (path: string): string => `~${encodePath(path.slice(AGENT_HOME.length)).replaceAll('%2F', '/')}`

/** The path of {@link placeOf}; null if it is none. */
export const pathOfPlace = (place: unknown): string | null =>
  typeof place === 'string' && place.startsWith('~/') ? absoluteOf(decodePath(place)) : null

/** Whether a path is a folder's, or inside of it. */
export const isInside = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`)

/** A name for the page, with what it hides in sight: control characters, direction marks and the like. */
export const shownName = (name: string): string =>
  withHiddenInSight(
    name.replace(/\p{Cc}/gu, (one) =>
      one === '\u007f' ? '\u2421' : String.fromCharCode(PICTURES + one.charCodeAt(0)),
    ),
  )

/** Where Unicode's pictures of the control characters begin. */
const PICTURES = 0x2400
