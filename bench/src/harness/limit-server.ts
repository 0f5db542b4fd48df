/**
 * Starts a server that the product is compared with: one with the same queries alone, or a bridge. It is not part of
 * the product.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Cleanup } from './cleanup.ts'

const PROGRAMS = {
  queries: fileURLToPath(new URL('../../../backend/test/limits/queries.ts', import.meta.url)),
  bridge: fileURLToPath(new URL('../limit/bridge.ts', import.meta.url)),
}

/**
 * `queries` takes a data folder, which no other process may have open. `bridge` takes a container's id. Answers the
 * server's address.
 */
export const startLimitServer = async (
  cleanup: Cleanup,
  program: keyof typeof PROGRAMS,
  argument: string,
): Promise<string> => {
  const child = fork(PROGRAMS[program], [argument], { execArgv: [], stdio: 'inherit', detached: true })
  cleanup.add(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  })
  const failed = once(child, 'exit').then(() => Promise.reject(new Error('the server to compare with ended')))
  const [address] = (await Promise.race([once(child, 'message'), failed])) as [string]
  failed.catch(() => undefined)
  return address
}
