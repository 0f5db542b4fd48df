// Does what a user does who follows the README: starts the platform, opens the page, presses Ctrl+C.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { SetUpError } from '../steps.mjs'

/** A cold start downloads a gigabyte. A start that takes longer is not quick. Milliseconds. */
const READY_WITHIN_MS = 30 * 60_000
/** The server ends every open session within seconds. Milliseconds. */
const STOP_WITHIN_MS = 30_000

/** A port that nothing listens on. */
const freePort = async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

const within = async (promise, ms, what) => {
  const timer = new AbortController()
  const late = delay(ms, undefined, { signal: timer.signal }).then(() => {
    throw new SetUpError(what)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    timer.abort()
    late.catch(() => {})
  }
}

const mustAnswer = async (url) => {
  const response = await fetch(url)
  if (!response.ok) throw new SetUpError(`${url} answers ${response.status}`)
}

/**
 * Runs `npm run up` in a folder as a user at a terminal does, until it has printed its set-up link. Then it opens the
 * page, and presses Ctrl+C, which signals the whole process group.
 *
 * @param {string} folder a clone
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<{readyMs: number, stopMs: number}>}
 * @throws {SetUpError} when the program ends early, is not ready in time, does not answer, or does not stop with exit
 *   code 0
 */
export const followQuickStart = async (folder, env) => {
  const port = await freePort()
  const address = `http://127.0.0.1:${port}`
  const started = performance.now()
  const child = spawn('npm', ['run', 'up'], {
    cwd: folder,
    env: { ...env, SLIPWAY_PORT: String(port) },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit').then(([code, signal]) => signal ?? code)
  const ready = new Promise((resolve) => {
    let output = ''
    const take = (text) => {
      process.stderr.write(text)
      output += text
      if (output.includes(`${address}/setup`)) resolve()
    }
    child.stdout.setEncoding('utf8').on('data', take)
    child.stderr.setEncoding('utf8').on('data', take)
  })
  try {
    const early = ended.then((how) => {
      throw new SetUpError(`npm run up ended with ${how} before it was ready`)
    })
    await within(Promise.race([ready, early]), READY_WITHIN_MS, 'no set-up link was printed in time')
    early.catch(() => {})
    const readyMs = performance.now() - started
    await mustAnswer(`${address}/`)
    await mustAnswer(`${address}/api/health`)

    const stopping = performance.now()
    process.kill(-child.pid, 'SIGINT')
    const how = await within(ended, STOP_WITHIN_MS, 'Ctrl+C did not end npm run up')
    if (how !== 0) throw new SetUpError(`after Ctrl+C npm run up ended with ${how}, not with code 0`)
    return { readyMs, stopMs: performance.now() - stopping }
  } finally {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGTERM')
  }
}
