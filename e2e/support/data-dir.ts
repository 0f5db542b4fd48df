/** Data folders whose embedded database has been made already, where the backend's tests left an empty one to copy. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>
}

/** As backend/test/support/global-setup.ts names it. */
const emptyDatabase = (): string => {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'backend/package.json'), 'utf8')) as Manifest
  return join(ROOT, `node_modules/.cache/slipway/empty-database-${dependencies['@electric-sql/pglite']}.tar`)
}

/** The caller removes it. Making a database takes both cores for seconds; the first start's own test has it made. */
export const newDataDir = (): string => {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipway-e2e-'))
  const made = emptyDatabase()
  if (!existsSync(made)) return dataDir
  const folder = join(dataDir, 'database')
  mkdirSync(folder, { mode: 0o700 })
  execFileSync('tar', ['-xf', made, '-C', folder], { stdio: 'ignore' })
  return dataDir
}
