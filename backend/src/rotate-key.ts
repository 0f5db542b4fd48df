/** `npm run rotate-key`: a new secret key for the installation, with the server stopped. */
import { pino } from 'pino'
import { ConfigError } from './config-values.ts'
import { loadConfig, type Config } from './config.ts'
import { systemClock } from './lib/time/clock.ts'
import { AppError } from './lib/errors.ts'
import { createIds } from './lib/ids.ts'
import { createAudit } from './modules/audit/audit.ts'
import { Keyring } from './modules/credentials/secret-key/keyring.ts'
import { rotate, WrongKeyError } from './modules/credentials/secret-key/rotate.ts'
import { RotationRepository } from './modules/credentials/secret-key/rotation-repository.ts'
import { SecretKeyRepository } from './modules/credentials/secret-key/repository.ts'
import { SecretKeyState } from './modules/credentials/secret-key/state.ts'
import { DatabaseOpenError } from './database/open-error.ts'
import { openDatabase } from './database/open.ts'
import { forgetPreviousSecretKeyFile, replaceSecretKeyFile } from './secret-key.ts'

const DISCARD = '--discard-unreadable'

const say = (text: string): void => void process.stdout.write(`${text}\n`)

/** A failure of the command, in one sentence for its user. */
class RotateError extends Error {
  override readonly name = 'RotateError'
}

const USAGE = `The secret key is given by SLIPWAY_SECRET_KEY. To replace it, run this with the new key in SLIPWAY_SECRET_KEY and the one
that it replaces in SLIPWAY_PREVIOUS_SECRET_KEY.`

const WRONG = `The stored credentials were encrypted with another secret key than this one. Run this with that key; or give them up
with \`npm run rotate-key -- ${DISCARD}\`, and set them again.`

/** Failures that need no stack. */
const EXPECTED = [RotateError, ConfigError, DatabaseOpenError, AppError]

const keyringOf = (config: Config): Keyring => new Keyring(config.secretKey, config.previousSecretKey)

const run = async (argv: readonly string[], env: NodeJS.ProcessEnv): Promise<void> => {
  const discardUnreadable = argv.includes(DISCARD)
  const unknown = argv.find((argument) => argument !== DISCARD)
  if (unknown !== undefined) throw new RotateError(`There is no option ${unknown}. There is ${DISCARD}.`)
  const keyInFile = !env['SLIPWAY_SECRET_KEY']?.trim()
  const before = loadConfig(env)
  const log = pino({ level: 'error' }, pino.destination({ dest: 2, sync: true }))
  // Takes the lock of the data folder, or says which process has it: nothing changes under a running server.
  const database = await openDatabase({ url: before.databaseUrl, dataDir: before.dataDir, log })
  try {
    const { prisma } = database
    const { state } = await new SecretKeyState(new SecretKeyRepository(prisma), keyringOf(before)).status()
    if (state === 'wrong' && !discardUnreadable) throw new WrongKeyError()
    const config = keyInFile && !discardUnreadable ? withNewKeyFile(before, env) : before
    if (!keyInFile && !discardUnreadable && !config.previousSecretKey) throw new RotateError(USAGE)
    const audit = createAudit({ prisma, clock: systemClock, newId: createIds(systemClock), log })
    const { rotated, unreadable } = await rotate(new RotationRepository(prisma, audit), keyringOf(config), {
      discardUnreadable,
      onProgress: (done, total) => say(`${done} of ${total}`),
    })
    if (unreadable.length > 0 && !discardUnreadable) {
      const list = unreadable.map(({ owner, kind }) => `  ${kind} of ${owner}`).join('\n')
      throw new RotateError(
        `${rotated} credentials, variables, connectors and webhooks have the new key; these cannot be read:\n${list}\n${WRONG}`,
      )
    }
    if (keyInFile) forgetPreviousSecretKeyFile(config.dataDir)
    if (unreadable.length > 0)
      say(`${unreadable.length} credentials, variables, connectors and webhooks that could not be read are gone.`)
    say(
      `Done: ${rotated} credentials, variables, connectors and webhooks have the new key. Access tokens of the old one end; browsers renew theirs by themselves.`,
    )
    if (!keyInFile) say('Start the server with the new SLIPWAY_SECRET_KEY, and without SLIPWAY_PREVIOUS_SECRET_KEY.')
  } finally {
    await database.close()
  }
}

/** An interrupted rotation continues with the key that it created. */
const withNewKeyFile = (config: Config, env: NodeJS.ProcessEnv): Config => {
  const { secretKey, previousSecretKey, dataDir } = config
  if (previousSecretKey && !Buffer.from(previousSecretKey).equals(secretKey)) {
    say('Going on with a rotation that was interrupted.')
    return config
  }
  replaceSecretKeyFile(dataDir)
  return loadConfig(env)
}

run(process.argv.slice(2), process.env).catch((error: unknown) => {
  if (error instanceof WrongKeyError) process.stderr.write(`${WRONG}\n`)
  else if (EXPECTED.some((kind) => error instanceof kind)) process.stderr.write(`${(error as Error).message}\n`)
  else process.stderr.write(`${String((error as Error).stack ?? error)}\n`)
  process.exitCode = 1
})
