/** The installation's one secret, of which every other key is derived. */
import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Name of the file in the data folder. */
export const SECRET_KEY_FILE = 'secret.key'
/** Fewest characters of a secret: 32 random ones have at least the 128 bits that nobody can search through. */
const MIN_LENGTH = 32
/** What we write ourselves, in random bytes. */
const NEW_KEY_BYTES = 48
/** Read and write for the owner alone. */
const OWNER_ONLY = 0o600

/**
 * The secret as bytes: `given`, else the content of the file, which is made on first use. Throws an Error with a
 * message that does not hold the secret, when it is too short or when others may read the file.
 */
export function readSecretKey(given: string | undefined, dataDir: string): Uint8Array {
  if (given !== undefined) return checked(given)
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const path = join(dataDir, SECRET_KEY_FILE)
  const text = readOwnerOnly(path) ?? (create(path), readOwnerOnly(path))
  return checked(text ?? '')
}

function checked(text: string): Uint8Array {
  if (text.length < MIN_LENGTH) throw new Error(`the secret key must have at least ${MIN_LENGTH} characters`)
  return new TextEncoder().encode(text)
}

function readOwnerOnly(path: string): string | null {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat) return null
  if ((stat.mode & 0o077) !== 0) throw new Error(`${SECRET_KEY_FILE} must be readable by its owner alone (chmod 600)`)
  return readFileSync(path, 'utf8').trim()
}

/** Appears whole or not at all, and the first of two processes wins: a link is made only where no file is. */
function create(path: string): void {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`
  writeFileSync(draft, randomBytes(NEW_KEY_BYTES).toString('base64url') + '\n', {
    mode: OWNER_ONLY,
    flag: 'wx',
    flush: true,
  })
  try {
    linkSync(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    unlinkSync(draft)
  }
}
