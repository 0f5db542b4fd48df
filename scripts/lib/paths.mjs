// Where things are in the checkout. Every script works from there, whatever folder it was called from.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The checkout's top folder. */
export const root = fileURLToPath(new URL('../../', import.meta.url))

/** Joins path segments below the checkout's top folder. */
export const inRoot = (...segments) => join(root, ...segments)

/**
 * The Node that the project runs on: the one its dependencies bring. The scripts themselves start on
 * an older one, so this file exists only once the dependencies are installed.
 */
export const projectNode = () => {
  const file = inRoot('node_modules', '.bin', 'node')
  return existsSync(file) ? file : process.execPath
}

/** The path of a program that a dependency brings, such as `vite`. */
export const dependencyBin = (name) => inRoot('node_modules', '.bin', name)
