// Starting dockerd where no init system does.
import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { SetUpError } from '../steps.mjs'

const LOG_FILE = '/var/log/slipway-dockerd.log'
/** Files in which dockerd and its containerd note their process ids. */
const PID_FILES = ['/var/run/docker.pid', '/var/run/docker/containerd/containerd.pid']
/** Seen: 1 to 4 s. A slow disk with many images may take longer. */
const READY_WITHIN_MS = 60_000
const POLL_MS = 200
const SHOWN_LINES = 20

/**
 * Both programs refuse to start while the process that their file names is alive. After a machine was switched
 * off hard, that id may belong to anything: a file whose process is neither of the two is removed.
 */
const removeStalePidFiles = () => {
  for (const file of PID_FILES) {
    try {
      const pid = readFileSync(file, 'utf8').trim()
      const name = readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
      if (name !== 'dockerd' && name !== 'containerd') rmSync(file)
    } catch {
      // No file, or no such process any more: both programs cope with that themselves.
    }
  }
}

const lastLines = () => readFileSync(LOG_FILE, 'utf8').trimEnd().split('\n').slice(-SHOWN_LINES).join('\n')

/**
 * Starts dockerd in a session of its own, so that Ctrl+C does not reach it, and leaves it running.
 *
 * @param {{announce: (line: string) => void, answers: () => Promise<boolean>}} options `answers` asks the engine
 * @throws {SetUpError} with the end of its log, when it ends or does not answer within a minute
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
