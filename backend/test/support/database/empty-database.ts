/**
 * The database of a first start, made once and stored in a file. A start from the file takes half a second. Making the
 * database takes five.
 */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { emptyDatabaseFile } from '@slipway/testing'
import { installJobs } from '../../../src/database/jobs.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { openDatabase } from '../../../src/database/open.ts'

/** Makes the file if it does not exist, and answers its path. */
export async function ensureEmptyDatabase(): Promise<string> {
  const file = emptyDatabaseFile()
  if (existsSync(file)) return file
  const folder = mkdtempSync(join(tmpdir(), 'slipway-empty-database-'))
  try {
    const opened = await openDatabase({ url: null, dataDir: folder, log: silentLog })
    await installJobs(opened)
    await opened.close()
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
