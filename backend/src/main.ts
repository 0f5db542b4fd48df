/** Starts the server, prints its address, and stops it gracefully. */
import './lib/threads.ts'
import { mkdirSync, readFileSync } from 'node:fs'
import { pino } from 'pino'
import { missingPublicUrl } from './addresses.ts'
import { buildApp } from './app.ts'
import { ConfigError } from './config-values.ts'
import { loadConfig, type Config } from './config.ts'
import { DatabaseOpenError } from './database/open-error.ts'
import { openDatabase } from './database/open.ts'
import { dataFolderSentence, faultOfFolder, folderFault } from './lib/folder-fault.ts'
import { within } from './lib/time/within.ts'
import { AddressError, addressError, checkAddress, isListenError } from './listen-address.ts'
import { DockerRuntime } from './runtime/docker/runtime.ts'
import { stopOnSignals } from './stop-signals.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }

/** Output for people, beside the log. */
const say = (text: string): void => void process.stdout.write(`${text}\n`)

/** The closers of what a start has opened, in order. */
type Opened = (() => Promise<unknown>)[]
/** Longest time that a failed start waits for what it has opened to close, in milliseconds. */
const CLOSE_MS = 5_000

const start = async (config: Config, opened: Opened): Promise<void> => {
  // The log until the server has its own, with the same settings.
  const log = pino({ level: config.logLevel })
  checkDataFolder(config.dataDir)
  const database = await openDatabase({
    url: config.databaseUrl,
    dataDir: config.dataDir,
    log,
    // What runs is the other server's now. A stop in order would write to it.
    onTaken: () => process.exit(1),
  })
  opened.push(() => database.close())
  // Before any agent changes, and after a stopping server has freed this address.
  await checkAddress(config)
  if (config.sshPort !== null) await checkAddress({ host: config.sshHost, port: config.sshPort }, 'SLIPWAY_SSH_PORT')
  const runtime = new DockerRuntime(config.namespace, undefined, {
    subnetPool: config.agentSubnets,
    holderImage: config.images[0],
  })
  opened.push(() => runtime.close())
  const { server, identity, sshPort, baseUrl, programUrl } = await buildApp({ config, database, runtime, version })
  opened.push(() => server.close())

  let finish = (): void => undefined
  const started = new Promise<void>((resolve) => {
    finish = resolve
  })
  stopOnSignals({
    log: server.log,
    stop: async () => {
      // Otherwise the rest of the start would use closed parts.
      await started
      server.log.info('stopping')
      await server.close()
      await runtime.close()
      await database.close()
    },
  })

  if (config.admin && (await identity.setup.createAdmin(config.admin.email, config.admin.password)))
    server.log.info('first admin created from the environment')
  await server.listen({ host: config.host, port: config.port })
  say(`\n  Slipway is at ${baseUrl()}`)
  if (config.publicUrl === null) say(`  For programs, and browsers that do not find it: ${programUrl()}`)
  if (sshPort() !== null) say(`  SSH for editors is on port ${sshPort()}`)
  const missing = missingPublicUrl(config)
  if (missing !== null) server.log.warn(missing)
  const link = await identity.setup.createSetupLink(baseUrl())
  if (link) say(`  Create the first admin here (works once): ${link.url}`)
  say('')
  finish()
}

/** Recordings and screens are in this folder even if the database and the key are not. Throws {@link ConfigError}. */
const checkDataFolder = (dir: string): void => {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  // A full disk stops recordings, but not the server.
  const fault = faultOfFolder(dir, 0)
  if (fault !== null) throw new ConfigError(dataFolderSentence(dir, fault))
}

/** A sentence for errors that an operator can repair. Null for all others, which are logged with their stack. */
const sentenceOf = (error: unknown, config: Config | null): string | null => {
  if (error instanceof ConfigError || error instanceof DatabaseOpenError || error instanceof AddressError)
    return error.message
  if (config === null) return null
  if (isListenError(error)) return addressError(config, error).message
  const fault = folderFault(error)
  return fault === null ? null : dataFolderSentence(config.dataDir, fault)
}

const run = async (): Promise<void> => {
  const opened: Opened = []
  let config: Config | null = null
  try {
    config = loadConfig(process.env)
    await start(config, opened)
  } catch (error) {
    process.stderr.write(`${sentenceOf(error, config) ?? String((error as Error).stack ?? error)}\n`)
    const close = async (): Promise<void> => {
      for (const end of opened.reverse()) await end().catch(() => undefined)
    }
    await within(CLOSE_MS, close(), () => undefined)
    process.exit(1)
  }
}

void run()
