// Runs a long-running program, and passes signals on to it.
import { spawn } from 'node:child_process'
import { constants } from 'node:os'

/**
 * Ctrl+C reaches this process twice: from the terminal, and again from npm. A signal within this time after the first
 * one is the same key, in milliseconds. A later one is a user who wants to end the program at once.
 */
const SAME_KEY_MS = 1_000

/**
 * Runs a program until it ends. The program has a session of its own, so the terminal's signals do not reach it. It
 * gets SIGTERM exactly once, however many signals this process gets. A second, later Ctrl+C kills it.
 *
 * @param {string[]} argv
 * @param {{cwd: string, env: NodeJS.ProcessEnv}} options
 * @returns {Promise<number>} its exit code; for a death by signal 128 and the signal's number
 */
export const supervise = (argv, { cwd, env }) =>
  new Promise((resolve, reject) => {
    const child = spawn(argv[0], argv.slice(1), { cwd, env, detached: true, stdio: 'inherit' })
    let toldAt = null
    const onSignal = () => {
      if (toldAt === null) {
        toldAt = performance.now()
        child.kill('SIGTERM')
      } else if (performance.now() - toldAt > SAME_KEY_MS) {
        child.kill('SIGKILL')
      }
    }
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
    for (const signal of signals) process.on(signal, onSignal)
    const done = () => signals.forEach((signal) => process.off(signal, onSignal))
    child.on('error', (error) => {
      done()
      reject(error)
    })
    child.on('exit', (code, signal) => {
      done()
      resolve(code ?? 128 + constants.signals[signal])
    })
  })
