// Installs the packages of package-lock.json that are missing or have another version.
import { existsSync, readFileSync } from 'node:fs'
import { mustRun } from '../commands.mjs'
import { dependencyBin, inRoot } from '../paths.mjs'

const packagesOf = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).packages : {})

/**
 * Whether everything in package-lock.json is installed. npm writes what it installed into a lock file of its own. That
 * file lacks optional packages for other platforms.
 */
const installed = () => {
  if (!existsSync(dependencyBin('node'))) return false
  const have = packagesOf(inRoot('node_modules', '.package-lock.json'))
  return Object.entries(packagesOf(inRoot('package-lock.json')))
    .filter(([path, { optional }]) => path.includes('node_modules/') && !optional)
    .every(([path, { link, version }]) => (link ? existsSync(inRoot(path)) : have[path]?.version === version))
}

/**
 * Installs the dependencies, with those for development: Node itself, the compiler and the bundler are among them.
 *
 * @param {{announce: (line: string) => void}} options
 * @throws {SetUpError} with npm's last lines when it fails
 */
export const ensureDependencies = async ({ announce }) => {
  if (installed()) return
  announce('npm ci')
  await mustRun(['npm', 'ci', '--include=dev', '--no-audit', '--no-fund'])
}
