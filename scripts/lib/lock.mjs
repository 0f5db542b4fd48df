// A lock for one process at a time: two `npm run up` must not build the same image twice.
import { lstatSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { SetUpError } from './set-up-error.mjs'

/** How often a waiting process checks the lock, in milliseconds. */
const POLL_MS = 250
/** A cold build of the image takes minutes. If a lock is older than this, its process hangs. Milliseconds. */
const MAX_WAIT_MS = 30 * 60_000

/** Permission bits (stat(2)) that let other users write to the folder of locks, which they must not. */
const OTHERS_WRITE = 0o022

/** If the user id has no account, HOME is its only home. */
const ownHome = () => {
  try {
    return userInfo().homedir
  } catch {
    return homedir()
  }
}

/**
 * The path of a lock. No other user can create a file in its folder. For root the folder is in /var/run, for other
 * users in the home that the system's list of accounts names.
 *
 * @param {string} name
 * @returns {string}
 * @throws {SetUpError} when other users may write to that folder
 */
export const lockFile = (name) => {
  const uid = process.getuid?.() ?? 0
  const folder = uid === 0 ? '/var/run/slipway' : join(ownHome(), '.cache', 'slipway')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const stat = lstatSync(folder)
  if (!stat.isDirectory() || stat.uid !== uid || (stat.mode & OTHERS_WRITE) !== 0)
    throw new SetUpError(`${folder} has to be a folder to which only its owner may write`)
  return join(folder, `${name}.lock`)
}

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
  unlinkSync(file) // the owner was killed; the next round takes the lock
  return tryTake(file)
}

/**
 * Runs `work` while no other process of this user runs something under the same name.
 *
 * @param {string} name letters and dashes, part of a file name
 * @param {{onWait: (pid: number) => void}} options `onWait` is called once when another process has the lock
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 * @throws {SetUpError} when the lock is not free after half an hour
 * @template T
 */
export const withLock = async (name, { onWait }, work) => {
  const file = lockFile(name)
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
