/** Keeps the targets of a comparison apart: in one folder they would overwrite each other's work. */
import { posix } from 'node:path'
import { AppError } from '../../../lib/errors.ts'
import { folderOf } from '../../sessions/start/folder.ts'

interface TargetFolder {
  readonly agent: string
  readonly cwd?: string | undefined
}

/** Throws `SAME_FOLDER` if two of them have the same agent, and the same folder or one inside the other. Links are not resolved. */
export const requireApart = (targets: readonly TargetFolder[]): void => {
  const places = targets.map(({ agent, cwd }) => ({
    agent,
    folder: `${posix.normalize(folderOf(cwd))}/`.replace(/\/+$/, '/'),
  }))
  for (const [at, one] of places.entries())
    for (const other of places.slice(at + 1)) {
      if (one.agent !== other.agent) continue
      if (!one.folder.startsWith(other.folder) && !other.folder.startsWith(one.folder)) continue
      const message = `Two targets would work in the same folder of agent '${one.agent}' and overwrite each other's files. Give each one an agent or a folder of its own.`
      throw new AppError('SAME_FOLDER', message)
    }
}
