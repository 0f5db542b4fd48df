// npm looks for programs, and Node for packages, in `node_modules` of every folder above the checkout. If root runs
// them, other users must not be able to put files there.
import { lstatSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { root } from './paths.mjs'
import { SetUpError } from './set-up-error.mjs'

/** Permission bits of stat(2): the group may write, all users may write, only owners may delete and rename. */
const GROUP_WRITES = 0o020
const ALL_WRITE = 0o002
const STICKY = 0o1000

const BIN = join('node_modules', '.bin')

/**
 * The PATH without the folders above the checkout that npm adds.
 *
 * @param {string} path
 * @param {string} folder the checkout
 */
export const withoutParents = (path, folder = root) =>
  path
    .split(delimiter)
    .filter((entry) => !entry.endsWith(BIN) || entry === join(folder, BIN))
    .join(delimiter)

const parentsOf = (folder) => {
  const parent = dirname(folder)
  return parent === folder ? [] : [parent, ...parentsOf(parent)]
}

/** User ids with an account on this machine. The owner of a mounted folder may have none in a container. */
const accounts = () =>
  readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => Number.parseInt(line.split(':')[2], 10))

/** Root trusts the owner of the checkout, and the user who became root by sudo. */
const trust = (folder, { SUDO_UID = 0, SUDO_GID = 0 }) => {
  const { uid, gid } = statSync(folder)
  const users = [0, uid, Number(SUDO_UID)]
  const groups = [0, gid, Number(SUDO_GID)]
  const known = accounts()
  return (stat) =>
    stat.isDirectory() &&
    (users.includes(stat.uid) || !known.includes(stat.uid)) &&
    (stat.mode & ALL_WRITE) === 0 &&
    ((stat.mode & GROUP_WRITES) === 0 || groups.includes(stat.gid))
}

/** Creates the folder. Answers false if it exists already. */
const isMade = (path) => {
  try {
    mkdirSync(path, { mode: 0o755 })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    return false
  }
}

/**
 * Makes sure that other users cannot add programs or packages that root would run. In a folder such as /tmp this needs
 * an empty `node_modules` of root's own. The function makes it there, and it stays.
 *
 * @param {string} folder the checkout
 * @param {NodeJS.ProcessEnv} env
 * @returns {string[]} the folders that it made
 * @throws {SetUpError} when other users may write to the checkout or a folder above it, or have made a `node_modules`
 *   there
 */
export const securePrograms = (folder, env) => {
  const isTrusted = trust(folder, env)
  const refuse = (path) => {
    throw new SetUpError(
      `Other users may write to ${path}, and root would run their programs. Move the checkout to a folder that only root may write, or start it as its owner.`,
    )
  }
  if (!isTrusted(statSync(folder))) refuse(folder)
  const made = []
  for (const parent of parentsOf(folder)) {
    const modules = join(parent, 'node_modules')
    const stat = statSync(parent)
    if (!isTrusted(stat)) {
      if ((stat.mode & STICKY) === 0) refuse(parent)
      if (isMade(modules)) made.push(modules)
    }
    const found = lstatSync(modules, { throwIfNoEntry: false })
    if (found !== undefined && !isTrusted(found)) refuse(modules)
  }
  return made
}

/**
 * Call it before any other program runs.
 *
 * @returns {string[]} as {@link securePrograms}
 */
export const trustOwnProgramsOnly = () => {
  process.env.PATH = withoutParents(process.env.PATH ?? '')
  return process.getuid?.() === 0 ? securePrograms(root, process.env) : []
}
