/** Data folders whose embedded database has been made already, where the backend's tests left an empty one to copy. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { emptyDatabaseFile } from '../../backend/test/support/empty-database.ts'

/** The caller removes it. Making a database takes both cores for seconds; the first start's own test has it made. */
export const newDataDir = (): string => {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipway-e2e-'))
  const made = emptyDatabaseFile()
  if (!existsSync(made)) return dataDir
  const folder = join(dataDir, 'database')
  mkdirSync(folder, { mode: 0o700 })
  execFileSync('tar', ['-xf', made, '-C', folder], { stdio: 'ignore' })
  return dataDir
}
