/** Measures the time to a shell's first output. Each function answers milliseconds. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { nextData, pause } from './channel.ts'
import { ENVIRONMENT, type ExecTarget, FOLDER, openExec, PROGRAM } from './exec.ts'
import { openTerminal, type TerminalTarget } from './terminal.ts'

/**
 * Pause after a terminal is closed, in milliseconds. A second exec ends its processes, and must not run beside the next
 * sample.
 */
const AFTER_CLOSE_MS = 300

export const promptThroughTerminal = async (target: TerminalTarget): Promise<number> => {
  const started = performance.now()
  const terminal = await openTerminal(target)
  await nextData(terminal)
  const elapsed = performance.now() - started
  await terminal.close()
  await pause(AFTER_CLOSE_MS)
  return elapsed
}

export const promptThroughExec = async (target: ExecTarget): Promise<number> => {
  const started = performance.now()
  const exec = await openExec(target)
  await nextData(exec)
  const elapsed = performance.now() - started
  exec.write('exit\r')
  await pause(AFTER_CLOSE_MS)
  await exec.close()
  return elapsed
}

/** Docker's own client, as a user calls it. */
export const promptThroughCli = async ({ containerId }: ExecTarget): Promise<number> => {
  const variables = ENVIRONMENT.flatMap((variable) => ['--env', variable])
  const argv = ['exec', '--tty', '--workdir', FOLDER, ...variables, containerId, ...PROGRAM]
  const started = performance.now()
  const child = spawn('docker', argv, { stdio: ['ignore', 'pipe', 'inherit'] })
  const failed = once(child, 'exit').then(() => Promise.reject(new Error('docker exec ended without a prompt')))
  await Promise.race([once(child.stdout, 'data'), failed])
  const elapsed = performance.now() - started
  failed.catch(() => undefined)
  // Without standard input nothing can end its shell. The shell ends with the container.
  child.kill('SIGKILL')
  await pause(AFTER_CLOSE_MS)
  return elapsed
}
