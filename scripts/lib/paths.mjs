// Paths in the checkout. Every script uses them, from whatever folder it is called.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The checkout's top folder. */
export const root = fileURLToPath(new URL('../../', import.meta.url))

/** Joins path segments below the checkout's top folder. */
export const inRoot = (...segments) => join(root, ...segments)

/**
 * The Node that the project runs on, which comes with its dependencies. The scripts start on an older Node, because
 * this file exists only after the dependencies are installed.
 */
export const projectNode = () => {
  const file = inRoot('node_modules', '.bin', 'node')
  return existsSync(file) ? file : process.execPath
}

/** The path of a dependency's program, such as `vite`. */
export const dependencyBin = (name) => inRoot('node_modules', '.bin', name)
