/** The server that the command talks to, and the token for it. */
import { chmod, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { SlipwayError, usage } from '../api/errors.ts'
import { serverUrl } from './server-url.ts'

export interface Account {
  readonly url: string
  readonly token: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** Where `slipway login` keeps the account. */
const accountFile = (env: Environment): string =>
  join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'slipway', 'account.json')

/** Permissions that let others than its owner read a file. */
const OTHERS = 0o077

/** The stored account, or null. Refuses a file that other users of the machine can read. */
const storedAccount = async (file: string): Promise<Account | null> => {
  const found = await stat(file).catch(() => null)
  if (found === null) return null
  if (process.platform !== 'win32' && (found.mode & OTHERS) !== 0)
    throw usage(`Other users of this machine can read ${file}. Run "chmod 600 ${file}", and create a new token.`)
  const content = parsed(await readFile(file, 'utf8'))
  if (content === null) throw usage(`${file} is damaged. Run "slipway login".`)
  return content
}

const parsed = (text: string): Account | null => {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || !('url' in value) || !('token' in value)) return null
    if (typeof value.url !== 'string' || typeof value.token !== 'string') return null
    return { url: serverUrl(value.url), token: value.token }
  } catch {
    return null
  }
}

/** The address that a command uses: that of the environment, or that of the last `login`. Null without either. */
export const currentServer = async (env: Environment): Promise<string | null> =>
  env.SLIPWAY_URL ? serverUrl(env.SLIPWAY_URL) : ((await storedAccount(accountFile(env)))?.url ?? null)

/**
 * The account for a command. `SLIPWAY_URL` and `SLIPWAY_TOKEN` win over the stored account. The stored token is for its
 * own server only.
 *
 * @throws {SlipwayError} `NOT_SIGNED_IN`
 */
export const findAccount = async (env: Environment): Promise<Account> => {
  const stored = env.SLIPWAY_URL && env.SLIPWAY_TOKEN ? null : await storedAccount(accountFile(env))
  const url = env.SLIPWAY_URL ? serverUrl(env.SLIPWAY_URL) : stored?.url
  if (url === undefined)
    throw new SlipwayError('NOT_SIGNED_IN', 'You are not signed in. Run "slipway login --server https://..."')
  const token = env.SLIPWAY_TOKEN || (stored?.url === url ? stored.token : undefined)
  if (token === undefined)
    throw new SlipwayError('NOT_SIGNED_IN', `There is no token for ${url}. Run "slipway login --server ${url}"`)
  return { url, token }
}

/** Stores the account, readable by its owner only. The file is complete or not there at all. */
export const storeAccount = async (env: Environment, account: Account): Promise<string> => {
  const file = accountFile(env)
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}`
  await rm(draft, { force: true })
  const handle = await open(draft, 'wx', 0o600)
  try {
    // A mode is masked by the umask, and some file systems give another one.
    await handle.writeFile(`${JSON.stringify(account)}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await chmod(draft, 0o600)
  await rename(draft, file)
  return file
}

/** Removes the stored account. Does nothing if there is none. */
export const forgetAccount = (env: Environment): Promise<void> => rm(accountFile(env), { force: true })
