// Starts dockerd on a machine without an init system.
import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { SetUpError } from '../steps.mjs'

const LOG_FILE = '/var/log/slipway-dockerd.log'
/** Files in which dockerd and its containerd store their process ids. */
const PID_FILES = ['/var/run/docker.pid', '/var/run/docker/containerd/containerd.pid']
/** dockerd took 1 to 4 s here. A slow disk with many images may take longer. Milliseconds. */
const READY_WITHIN_MS = 60_000
const POLL_MS = 200
const SHOWN_LINES = 20

/**
 * Both programs refuse to start while the process in their file is alive. After a power failure that id may belong to
 * any process. So a file is removed if its process is neither of the two.
 */
const removeStalePidFiles = () => {
  for (const file of PID_FILES) {
    try {
      const pid = readFileSync(file, 'utf8').trim()
      const name = readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
      if (name !== 'dockerd' && name !== 'containerd') rmSync(file)
    } catch {
      // Both programs themselves handle a missing file, and a process that does not exist.
    }
  }
}

const lastLines = () => readFileSync(LOG_FILE, 'utf8').trimEnd().split('\n').slice(-SHOWN_LINES).join('\n')

/**
 * Starts dockerd in a session of its own, so that Ctrl+C does not reach it, and leaves it running.
 *
 * @param {{announce: (line: string) => void, answers: () => Promise<boolean>}} options `answers` asks the engine
 * @throws {SetUpError} with the end of dockerd's log, when it ends or does not answer within a minute
 */
export const startDockerd = async ({ announce, answers }) => {
  announce(`starting dockerd, which stays; its log is ${LOG_FILE}`)
  removeStalePidFiles()
  const log = openSync(LOG_FILE, 'w', 0o600)
  const child = spawn('dockerd', [], { cwd: '/', detached: true, stdio: ['ignore', log, log] })
  closeSync(log)
  let ended = null
  child.on('error', (error) => (ended = error.message))
  child.on('exit', (code, signal) => (ended = `it ended with ${signal ?? `code ${code}`}`))
  child.unref()

  const deadline = Date.now() + READY_WITHIN_MS
  while (!(await answers())) {
    if (ended === null && Date.now() > deadline) {
      ended = `it did not answer within ${READY_WITHIN_MS / 1_000} s`
    }
    if (ended !== null) throw new SetUpError(`dockerd did not start: ${ended}.\n${lastLines()}`)
    await delay(POLL_MS)
  }
}
