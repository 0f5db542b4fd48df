/**
 * One process for one folder. PGlite takes no lock of its own, and two processes on one folder destroy it silently.
 *
 * The lock is a Unix socket beside the folder: who listens on it holds it, and a dead process listens no more, so a
 * crash leaves nothing to clean up by hand.
 */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, realpathSync, renameSync, linkSync, rmSync, statSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { DatabaseOpenError } from '../open-error.ts'

/** Longest path of a Unix socket in bytes that every system takes (104 on macOS, 108 on Linux), less the end and our suffix. */
const SOCKET_PATH_MAX = 80
/** After taking over from a dead process, how long another that saw it dead too has time to show itself, in milliseconds. */
const TAKEOVER_SETTLE_MS = 50

/** Another process has the folder open. */
export class FolderInUseError extends DatabaseOpenError {}

/** Takes the lock of `name` in `parent`, or throws {@link FolderInUseError}. The answer gives it back. */
export async function lockFolder(parent: string, name: string): Promise<() => Promise<void>> {
  mkdirSync(parent, { recursive: true, mode: 0o700 })
  const path = socketPath(parent, name)
  const draft = `${path}.${process.pid}`
  rmSync(draft, { force: true })
  const server = createServer((socket) => socket.destroy())
  server.listen(draft)
  await once(server, 'listening')
  server.unref()
  const inode = statSync(draft).ino
  const close = async (): Promise<void> => {
    server.close()
    await once(server, 'close')
  }
  try {
    await claim(draft, path, inode)
  } catch (error) {
    await close()
    throw error instanceof FolderInUseError
      ? new FolderInUseError(`the data folder ${parent} is open in another process`)
      : error
  } finally {
    rmSync(draft, { force: true })
  }
  return async () => {
    if (statSync(path, { throwIfNoEntry: false })?.ino === inode) rmSync(path, { force: true })
    await close()
  }
}

/** Gives the socket its name if no living process has it. */
async function claim(draft: string, path: string, inode: number): Promise<void> {
  try {
    linkSync(draft, path)
    return
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  if (await someoneListens(path)) throw new FolderInUseError()
  renameSync(draft, path)
  await delay(TAKEOVER_SETTLE_MS)
  if (statSync(path, { throwIfNoEntry: false })?.ino !== inode) throw new FolderInUseError()
}

function someoneListens(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    // Only "refused" and "gone" say that nobody is there; anything else, such as another user's socket, does not.
    socket.once('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT')
    })
  })
}

function socketPath(parent: string, name: string): string {
  const beside = join(realpathSync(parent), `${name}.lock`)
  if (Buffer.byteLength(beside) <= SOCKET_PATH_MAX) return beside
  const hash = createHash('sha256').update(beside).digest('hex').slice(0, 16)
  return join(tmpdir(), `slipway-${hash}.lock`)
}
