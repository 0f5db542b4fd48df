/** The key with which the server proves to clients that it is the same as before. */
import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import ssh2 from 'ssh2'
import { newEd25519Pair } from './new-key.ts'

/** Its file in the data folder. */
export const HOST_KEY_FILE = 'ssh_host_ed25519_key'
/** Read and write for the owner alone. */
const OWNER_ONLY = 0o600

/**
 * The private key, in OpenSSH's form. The first call makes it. Throws an `Error` if other users may read the file, or if it is
 * no key; the message has nothing of the key.
 */
export const hostKeyIn = (dataDir: string): string => {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const path = join(dataDir, HOST_KEY_FILE)
  const key = readOwnerOnly(path) ?? (create(path), readOwnerOnly(path)) ?? ''
  const parsed = ssh2.utils.parseKey(key)
  if (parsed instanceof Error)
    throw new Error(
      `${HOST_KEY_FILE} in the data folder holds no private key of SSH. Without the file, a new key is made`,
    )
  return key
}

/** The public half of a private key: its kind, and its bytes in base64. */
export const publicHalfOf = (privateKey: string): string => {
  const key = ssh2.utils.parseKey(privateKey)
  if (key instanceof Error) throw key
  return `${key.type} ${key.getPublicSSH().toString('base64')}`
}

const readOwnerOnly = (path: string): string | null => {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat) return null
  if ((stat.mode & 0o077) !== 0) throw new Error(`${basename(path)} must be readable by its owner alone (chmod 600)`)
  return readFileSync(path, 'utf8')
}

/** The file appears complete or not at all, and the first of two processes wins. */
const create = (path: string): void => {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`
  try {
    const key = newEd25519Pair().private
    writeFileSync(draft, key, { mode: OWNER_ONLY, flag: 'wx', flush: true })
    linkSync(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
}
