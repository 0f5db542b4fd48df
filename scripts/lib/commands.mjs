// Starts other programs, with argument vectors and never with a shell.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'
import { root } from './paths.mjs'
import { SetUpError } from './steps.mjs'

/** How many lines of a failed command are shown. Some programs name the fault first, others last. */
const SHOWN_LINES = { first: 12, last: 30 }

const abridged = (output) => {
  const lines = stripVTControlCharacters(output).trimEnd().split('\n')
  if (lines.length <= SHOWN_LINES.first + SHOWN_LINES.last) return lines.join('\n')
  return [...lines.slice(0, SHOWN_LINES.first), '…', ...lines.slice(-SHOWN_LINES.last)].join('\n')
}

/** The kernel's unit of CPU time in /proc, in milliseconds (USER_HZ of proc(5) is 100 wherever Node runs). */
const TICK_MS = 10

/** CPU time of all child processes that have ended, and of their own ended children; 0 where there is no /proc. */
const endedCpuMs = () => {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8')
    // The name may contain anything, so the fields are counted after it. The 14th and 15th are user and system time of
    // children that have ended.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[13]) + Number(fields[14])) * TICK_MS
  } catch {
    return 0
  }
}
let countedCpuMs = 0
/** CPU time of the child process that has just ended. If two ended at once, the first gets the time of both. */
const cpuMsOfEnded = () => {
  const before = countedCpuMs
  countedCpuMs = endedCpuMs()
  return countedCpuMs - before
}

/**
 * Runs a program to its end and collects its output.
 *
 * @param {string[]} argv program and arguments
 * @param {{cwd?: string, env?: NodeJS.ProcessEnv, input?: string, timeoutMs?: number, onLine?: (line: string) => void}}
 *   [options] `onLine` is called with each line of both outputs as it appears; after `timeoutMs` the program is killed
 * @returns {Promise<{code: number, stdout: string, output: string}>} `code` is 127 when the program does not exist and
 *   128 when a signal ended it; `output` has both outputs
 */
export const capture = (argv, { cwd = root, env = process.env, input, timeoutMs, onLine } = {}) =>
  new Promise((resolve) => {
    const child = spawn(argv[0], argv.slice(1), {
      cwd,
      env,
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    })
    let stdout = ''
    let output = ''
    let rest = ''
    const take = (chunk) => {
      output += chunk
      if (!onLine) return
      const lines = (rest + chunk).split('\n')
      rest = lines.pop()
      for (const line of lines) onLine(line)
    }
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      stdout += chunk
      take(chunk)
    })
    child.stderr.setEncoding('utf8').on('data', take)
    child.on('exit', cpuMsOfEnded)
    child.on('error', (error) => resolve({ code: 127, stdout, output: error.message }))
    child.on('close', (code) => resolve({ code: code ?? 128, stdout, output }))
    if (input !== undefined) {
      child.stdin.on('error', () => {}) // the program may end before it has read everything
      child.stdin.end(input)
    }
  })

/**
 * Like {@link capture}, but throws when the program fails. The error shows the program's output, shortened.
 *
 * @throws {SetUpError} when the exit code is not 0
 */
export const mustRun = async (argv, options) => {
  const result = await capture(argv, options)
  if (result.code !== 0) {
    throw new SetUpError(`${argv.slice(0, 3).join(' ')} … ended with code ${result.code}:\n${abridged(result.output)}`)
  }
  return result
}

/**
 * Runs a program on this terminal.
 *
 * @param {string[]} argv
 * @param {{cwd?: string, env?: NodeJS.ProcessEnv, signal?: AbortSignal, timeoutMs?: number, fd?: number, onCpuMs?: (ms:
 *   number) => void}} [options] when `signal` aborts or the time is over, the program gets SIGTERM; `fd` receives both
 *   outputs; `onCpuMs` is called with the CPU time of the program and of the processes that it waited for
 * @returns {Promise<number>} its exit code, 128 when a signal ended it
 */
export const runVisibly = (argv, { cwd = root, env = process.env, signal, timeoutMs, fd, onCpuMs } = {}) =>
  new Promise((resolve, reject) => {
    const child = spawn(argv[0], argv.slice(1), {
      cwd,
      env,
      timeout: timeoutMs,
      stdio: ['ignore', fd ?? 'inherit', fd ?? 'inherit'],
    })
    const stop = () => child.kill('SIGTERM')
    signal?.addEventListener('abort', stop, { once: true })
    child.on('exit', () => {
      const ms = cpuMsOfEnded()
      onCpuMs?.(ms)
    })
    child.on('error', reject)
    child.on('close', (code) => {
      signal?.removeEventListener('abort', stop)
      resolve(code ?? 128)
    })
  })
