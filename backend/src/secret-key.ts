/** The secret key of the installation, from which every other key is derived. */
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'

/** Name of the file in the data folder. */
export const SECRET_KEY_FILE = 'secret.key'
/** The previous key, while a rotation is not finished. */
export const PREVIOUS_SECRET_KEY_FILE = 'secret.key.previous'
/** Shortest secret, in characters: 32 random ones have at least 128 bits, too many to search. */
const MIN_LENGTH = 32
/** Random bytes of a generated key. */
const NEW_KEY_BYTES = 48
/** Read and write for the owner alone. */
const OWNER_ONLY = 0o600

/**
 * The secret as bytes: `given`, else the content of the file, which is created on first use. Throws an Error if the
 * secret is too short or if other users may read the file. The message does not contain the secret.
 */
export function readSecretKey(given: string | undefined, dataDir: string): Uint8Array {
  if (given !== undefined) return checked(given)
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const path = join(dataDir, SECRET_KEY_FILE)
  const text = readOwnerOnly(path) ?? (create(path), readOwnerOnly(path))
  return checked(text ?? '')
}

/** The secret before an unfinished rotation: `given`, else the content of the file; null if there is none. */
export function readPreviousSecretKey(given: string | undefined, dataDir: string): Uint8Array | null {
  const text = given ?? readOwnerOnly(join(dataDir, PREVIOUS_SECRET_KEY_FILE))
  return text === null ? null : checked(text)
}

/**
 * Writes a new secret to the file, and keeps the old one in the file of the previous secret. At every moment the two
 * files contain every secret that is needed. When this returns, both are on the disk.
 */
export function replaceSecretKeyFile(dataDir: string): void {
  const path = join(dataDir, SECRET_KEY_FILE)
  const previous = join(dataDir, PREVIOUS_SECRET_KEY_FILE)
  // It exists if an earlier attempt was interrupted right here, with the same secret.
  if (!statSync(previous, { throwIfNoEntry: false })) linkSync(path, previous)
  const draft = writeDraft(path)
  flushFolder(dataDir)
  renameSync(draft, path)
  flushFolder(dataDir)
}

/** Removes the previous secret. Call it when it is no longer needed. */
export function forgetPreviousSecretKeyFile(dataDir: string): void {
  rmSync(join(dataDir, PREVIOUS_SECRET_KEY_FILE), { force: true })
  flushFolder(dataDir)
}

function checked(text: string): Uint8Array {
  if (text.length < MIN_LENGTH) throw new Error(`the secret key must have at least ${MIN_LENGTH} characters`)
  return new TextEncoder().encode(text)
}

function readOwnerOnly(path: string): string | null {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat) return null
  if ((stat.mode & 0o077) !== 0) throw new Error(`${basename(path)} must be readable by its owner alone (chmod 600)`)
  return readFileSync(path, 'utf8').trim()
}

/**
 * The file appears complete or not at all. The first of two processes wins, because creating a link fails if the file
 * exists.
 */
function create(path: string): void {
  const draft = writeDraft(path)
  try {
    linkSync(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    unlinkSync(draft)
  }
}

/** Writes a new secret to a file next to its destination. */
function writeDraft(path: string): string {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`
  const text = randomBytes(NEW_KEY_BYTES).toString('base64url') + '\n'
  try {
    writeFileSync(draft, text, { mode: OWNER_ONLY, flag: 'wx', flush: true })
  } catch (error) {
    // On a full disk the file exists and is empty.
    rmSync(draft, { force: true })
    throw error
  }
  return draft
}

/** Makes the names in a folder survive a power cut. */
function flushFolder(path: string): void {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
