/** The database of a first start, made once and kept in a file: starting from it takes half a second, making one takes five. */
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { silentLog } from '../../src/lib/log.ts'
import { openDatabase } from '../../src/database/open.ts'

const ROOT = join(import.meta.dirname, '../../..')
const CACHE = join(ROOT, 'node_modules/.cache/slipway')
const MIGRATIONS = join(ROOT, 'prisma/migrations')

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>
}

/** Where it is for what the sources say now: of another version or with other migrations it is another one. */
export function emptyDatabaseFile(): string {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'backend/package.json'), 'utf8')) as Manifest
  const migrations = createHash('sha256')
  for (const path of readdirSync(MIGRATIONS, { recursive: true, encoding: 'utf8' }).sort()) {
    if (path.endsWith('.sql')) migrations.update(path).update(readFileSync(join(MIGRATIONS, path)))
  }
  const version = `${dependencies['@electric-sql/pglite']}-${migrations.digest('hex').slice(0, 12)}`
  return join(CACHE, `empty-database-${version}.tar`)
}

/** Makes it where it is not there yet, and answers its file. */
export async function ensureEmptyDatabase(): Promise<string> {
  const file = emptyDatabaseFile()
  if (existsSync(file)) return file
  const folder = mkdtempSync(join(tmpdir(), 'slipway-empty-database-'))
  try {
    await (await openDatabase({ url: null, dataDir: folder, log: silentLog })).close()
    const database = await PGlite.create(join(folder, 'database'))
    const dump = await database.dumpDataDir('none')
    await database.close()
    mkdirSync(CACHE, { recursive: true })
    const draft = `${file}.${process.pid}`
    writeFileSync(draft, new Uint8Array(await dump.arrayBuffer()))
    renameSync(draft, file)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return file
}
