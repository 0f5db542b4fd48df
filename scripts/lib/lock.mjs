// One process at a time: two `npm run up` must not build the same image twice.
import { readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { SetUpError } from './steps.mjs'

/** How often a waiting process looks again. */
const POLL_MS = 250
/** A cold build of the image takes minutes; a lock older than this belongs to something that hangs. */
const MAX_WAIT_MS = 30 * 60_000

const isAlive = (pid) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** Takes the lock, or answers the id of the process that has it. */
const tryTake = (file) => {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx', mode: 0o600 })
    return null
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  }
  const holder = Number(readFileSync(file, 'utf8'))
  if (holder > 0 && isAlive(holder)) return holder
  unlinkSync(file) // its holder was killed; the next round takes it
  return tryTake(file)
}

/**
 * Runs `work` while no other process of this user runs something under the same name.
 *
 * @param {string} name letters and dashes, part of a file name in the temporary folder
 * @param {{onWait: (pid: number) => void}} options `onWait` is called once when another process has the lock
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 * @throws {SetUpError} when the lock is not free after half an hour
 * @template T
 */
export const withLock = async (name, { onWait }, work) => {
  const file = join(tmpdir(), `slipway-${process.getuid?.() ?? 0}-${name}.lock`)
  const deadline = Date.now() + MAX_WAIT_MS
  let told = false
  for (;;) {
    const holder = tryTake(file)
    if (holder === null) break
    if (!told) onWait(holder)
    told = true
    if (Date.now() > deadline) throw new SetUpError(`process ${holder} holds ${file} for too long`)
    await delay(POLL_MS)
  }
  try {
    return await work()
  } finally {
    unlinkSync(file)
  }
}
