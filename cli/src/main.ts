#!/usr/bin/env node
/** The program `slipway`. */
import { Client } from './api/client.ts'
import { findAccount } from './account/account.ts'
import { Output } from './output/output.ts'
import { slipway } from './slipway.ts'

const interruption = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    interruption.abort()
  })
// A reader that closed its end of a pipe wants no more.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    throw error
  })

const exitCode = await slipway(process.argv.slice(2), {
  env: process.env,
  stdin: process.stdin,
  out: new Output(process.stdout, process.stderr),
  client: async () => new Client(await findAccount(process.env)),
  interrupted: interruption.signal,
})
// Standard input and open sockets would keep the process.
process.stdout.write('', () => process.stderr.write('', () => process.exit(exitCode)))
