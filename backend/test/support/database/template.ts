/** Makes the database that others are copied from. As a program: `template.ts URL`, for tests of another workspace. */
import { installJobs } from '../../../src/database/jobs.ts'
import { openDatabase } from '../../../src/database/open.ts'
import { silentLog } from '../../../src/lib/log.ts'

/** Makes all tables in an empty database of a PostgreSQL server. */
export async function makeTables(url: string): Promise<void> {
  const opened = await openDatabase({ url, dataDir: null, log: silentLog })
  await installJobs(opened)
  await opened.close()
}

if (import.meta.main) await makeTables(process.argv[2] ?? '')
