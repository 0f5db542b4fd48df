/** Starts the server, prints its address, and stops it gracefully. */
import { readFileSync } from 'node:fs'
import { pino } from 'pino'
import { buildApp } from './app.ts'
import { ConfigError, loadConfig } from './config.ts'
import { DatabaseOpenError } from './database/open-error.ts'
import { openDatabase } from './database/open.ts'
import { DockerRuntime } from './runtime/docker/runtime.ts'
import { stopOnSignals } from './stop-signals.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }

/** Output for people, beside the log. */
const say = (text: string): void => void process.stdout.write(`${text}\n`)

const start = async (): Promise<void> => {
  const config = loadConfig(process.env)
  // For the time before there is a server with its own log, which has the same settings.
  const log = pino({ level: config.logLevel })
  const database = await openDatabase({ url: config.databaseUrl, dataDir: config.dataDir, log })
  const runtime = new DockerRuntime(config.namespace, undefined, {
    subnetPool: config.agentSubnets,
    holderImage: config.images[0],
  })
  const { server, identity, baseUrl } = await buildApp({ config, database, runtime, version })

  let finish = (): void => undefined
  const started = new Promise<void>((resolve) => {
    finish = resolve
  })
  stopOnSignals({
    log: server.log,
    stop: async () => {
      // The rest of the start would fail on what is closed.
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
  const link = await identity.setup.createSetupLink(baseUrl())
  if (link) say(`  Create the first admin here (works once): ${link.url}`)
  say('')
  finish()
}

start().catch((error: unknown) => {
  // An operator can mend these, and needs one sentence. Everything else comes with its stack.
  const isExpected = error instanceof ConfigError || error instanceof DatabaseOpenError
  process.stderr.write(`${isExpected ? error.message : String((error as Error).stack ?? error)}\n`)
  process.exit(1)
})
