/** The database of a first start, made once and kept in a file: starting from it takes half a second, making one takes five. */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { emptyDatabaseFile } from '@slipway/testing'
import { silentLog } from '../../../src/lib/log.ts'
import { openDatabase } from '../../../src/database/open.ts'

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
    mkdirSync(dirname(file), { recursive: true })
    const draft = `${file}.${process.pid}`
    writeFileSync(draft, new Uint8Array(await dump.arrayBuffer()))
    renameSync(draft, file)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return file
}
