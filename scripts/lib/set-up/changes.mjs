// Repeats work only if its inputs have changed.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { inRoot } from '../paths.mjs'

/** Folders of generated files. */
const MADE = new Set(['node_modules', 'dist', 'generated', '.turbo', 'coverage'])

const filesOf = (path) => {
  if (!existsSync(path)) return []
  if (statSync(path).isFile()) return [path]
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => !MADE.has(entry.name))
    .flatMap((entry) => filesOf(join(path, entry.name)))
    .sort()
}

const hashOf = (paths) => {
  const hash = createHash('sha256')
  for (const file of paths.flatMap(filesOf)) hash.update(`${file}\0`).update(readFileSync(file)).update('\0')
  return hash.digest('hex')
}

/**
 * Runs `work`, unless its output exists and was made from the same inputs.
 *
 * @param {string} name of the note about the inputs, which is kept beside the dependencies
 * @param {{inputs: string[], output: string}} files paths below the checkout; a folder counts with everything in it
 * @param {() => Promise<void>} work
 */
export const whenChanged = async (name, { inputs, output }, work) => {
  const stamp = inRoot('node_modules', '.slipway', name)
  const now = hashOf(inputs.map((path) => inRoot(path)))
  if (existsSync(inRoot(output)) && existsSync(stamp) && readFileSync(stamp, 'utf8') === now) return
  await work()
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, now)
}
