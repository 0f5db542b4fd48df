/** Makes, moves and removes files and folders. A removed one can be moved back from the trash. */

import type { Removed } from '@slipway/protocol'
import { SECOND_MS } from '../../../lib/time/clock.ts'
import { AppError } from '../../../lib/errors.ts'
import { isUuid, type NewId } from '../../../lib/ids.ts'
import { asAppError } from '../../../runtime/app-error.ts'
import { toHomePath, toTarget } from '../path.ts'
import { octalEscaped, type PathBytes, percentEncoded, recordable } from '../path-bytes.ts'
import { scriptArgv, somethingElse } from '../program.ts'
import type { Began, FilePrograms } from '../programs.ts'
import { TRASH, type Trash } from './trash.ts'
import type { FolderRequest } from './tree.ts'

/** Longest time for one change, in milliseconds. The removal of a large folder takes long. */
const CHANGE_MS = 120 * SECOND_MS

interface Parts {
  readonly programs: Pick<FilePrograms, 'run'>
  readonly trash: Pick<Trash, 'empty'>
  readonly newId: NewId
}

export class FileChanges {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Makes a folder, and missing ones on its path. Throws `FILE_EXISTS`. */
  async makeFolder({ path, ...asked }: FolderRequest): Promise<void> {
    const at = targetOf(path)
    await this.#change(asked, ['folder', ...at.args], { action: 'folder.created', facts: { path: at.shown } })
  }

  /** Moves or renames. Throws `FILE_EXISTS`: a move never replaces. */
  async move({ path, ...asked }: FolderRequest, to: PathBytes): Promise<void> {
    const [from, target] = [targetOf(path), targetOf(to)]
    if (`${target.path}/`.startsWith(`${from.path}/`))
      throw new AppError('VALIDATION', 'to: must be another path, and not inside what is moved.')
    const facts = { path: from.shown, to: target.shown }
    await this.#change(asked, ['move', ...from.args, ...target.args], { action: 'file.moved', facts })
  }

  /** Moves it to the trash. For good: removes it. What is in the trash is always removed. */
  async remove({ path, ...asked }: FolderRequest, forGood: boolean): Promise<Removed> {
    const at = targetOf(path)
    const isForGood = forGood || `${at.path}/`.startsWith(`${TRASH}/`)
    const began: Began = { action: 'file.deleted', facts: { path: at.shown, forGood: isForGood } }
    if (isForGood) {
      await this.#change(asked, ['remove', ...at.args], began)
      return { encodedPath: null }
    }
    const printed = await this.#change(asked, ['trash', ...at.args, this.#parts.newId()], began)
    const id = printed.toString('latin1').trimEnd()
    if (!isUuid(id)) throw asAppError(somethingElse())
    this.#parts.trash.empty(asked.found.row)
    return { encodedPath: percentEncoded(`${TRASH}/${id}/${at.name}`) }
  }

  #change(asked: Omit<FolderRequest, 'path'>, args: readonly string[], began: Began): Promise<Buffer> {
    const bounds = { timeoutMs: CHANGE_MS, maxOutputBytes: 1024 }
    return this.#parts.programs.run(asked, scriptArgv('change', ...args), began, bounds)
  }
}

/** A file or folder that is not the home itself, with its arguments of the script. */
const targetOf = (wanted: PathBytes) => {
  const path = toHomePath(wanted)
  const { folder, name } = toTarget(path)
  return { path, name, args: [octalEscaped(folder), octalEscaped(name)], shown: recordable(path) }
}
