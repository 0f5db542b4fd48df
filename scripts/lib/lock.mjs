// A lock for one process at a time: two `npm run up` must not build the same image twice.
import { randomUUID } from 'node:crypto'
import { linkSync, lstatSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir, uptime, userInfo } from 'node:os'
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

/** When this machine was started, in milliseconds since 1970. */
const bootedAt = () => Date.now() - uptime() * 1_000

const isAlive = (pid) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** Creates the file with its content, which a reader never sees without. Answers false if the file exists. */
const create = (file) => {
  const draft = `${file}.${randomUUID()}`
  writeFileSync(draft, String(process.pid), { flag: 'wx', mode: 0o600 })
  try {
    linkSync(draft, file)
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    return false
  } finally {
    rmSync(draft)
  }
}

/**
 * The process id in a lock and the time of its creation in milliseconds since 1970, or null if its process has just released
 * it. The file has nothing but the id, because older versions take every other content for a lock that is free.
 */
const read = (file) => {
  try {
    return { pid: Number(readFileSync(file, 'utf8')), madeAt: statSync(file).mtimeMs }
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
    return null
  }
}

/** Takes the lock, or answers the id of the process that has it. */
const tryTake = (file) => {
  while (!create(file)) {
    const held = read(file)
    if (held === null) continue
    const { pid, madeAt } = held
    // A lock of an earlier boot is free, although its process id is in use again.
    if (pid > 0 && madeAt >= bootedAt() && isAlive(pid)) return pid
    rmSync(file, { force: true }) // the owner was killed
  }
  return null
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
    // It may be gone already: a user has removed it.
    rmSync(file, { force: true })
  }
}
