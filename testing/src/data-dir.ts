/** Data folders as after a first start, without the seconds on both cores that making a database takes. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
const CACHE = join(ROOT, 'node_modules/.cache/slipway')
const MIGRATIONS = join(ROOT, 'prisma/migrations')

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>
}

/**
 * The backend's tests keep the database of a first start in this tar file, which they make before they begin. Another
 * version of PGlite or pg-boss, or other migrations, have another file.
 */
export function emptyDatabaseFile(): string {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'backend/package.json'), 'utf8')) as Manifest
  const migrations = createHash('sha256')
  for (const path of readdirSync(MIGRATIONS, { recursive: true, encoding: 'utf8' }).sort()) {
    if (path.endsWith('.sql')) migrations.update(path).update(readFileSync(join(MIGRATIONS, path)))
  }
  const version = `${dependencies['@electric-sql/pglite']}-${dependencies['pg-boss']}-${migrations.digest('hex').slice(0, 12)}`
  return join(CACHE, `empty-database-${version}.tar`)
}

/**
 * Puts an empty database into a data folder that has none. If the tar file does not exist, the server's first start
 * makes the database.
 */
export const placeEmptyDatabase = (dataDir: string): string => {
  const made = emptyDatabaseFile()
  if (!existsSync(made)) return dataDir
  const folder = join(dataDir, 'database')
  mkdirSync(folder, { mode: 0o700 })
  execFileSync('tar', ['-xf', made, '-C', folder], { stdio: 'ignore' })
  return dataDir
}

/** Makes a data folder for one test, which has to remove it. */
export const newDataDir = (): string => placeEmptyDatabase(mkdtempSync(join(tmpdir(), 'slipway-test-data-')))
