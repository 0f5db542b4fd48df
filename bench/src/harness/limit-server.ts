/** Starts the server that requests are compared with. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Cleanup } from './cleanup.ts'

const MAIN = fileURLToPath(new URL('../limit/main.ts', import.meta.url))

/** On this data folder, which nobody else may have open. Gives its address. */
export const startLimitServer = async (cleanup: Cleanup, dataDir: string): Promise<string> => {
  const child = fork(MAIN, [dataDir], { execArgv: [], stdio: 'inherit' })
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
