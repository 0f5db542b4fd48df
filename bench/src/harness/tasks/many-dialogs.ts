/** Makes a database with many open questions by SQL. A user may ask only few at once. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'

/** Adds so many open questions of a user in the agent of this id, in the data folder of a stopped server. */
export const makeDialogs = async (
  dataDir: string,
  { userId, agentId, count }: { readonly userId: string; readonly agentId: string; readonly count: number },
): Promise<void> => {
  const database = await PGlite.create(join(dataDir, 'database'))
  const rows = Array.from({ length: count }, (_, number) => ({
    id: randomUUID(),
    question: {
      kind: 'approval',
      tool: 'Bash',
      command: `npm run migrate -- --step ${number}`,
      path: null,
      input: { command: `npm run migrate -- --step ${number}`, description: 'Migrate the test database' },
      why: null,
      editable: true,
      tier: 2,
      reasons: ['It runs a program of the folder.'],
    },
  }))
  await database.query(
    `INSERT INTO "Dialog" ("id", "agentId", "agentName", "userId", "personal", "folder", "title", "question", "state")
    SELECT r."id", $2, 'asking', $3, false, '/home/developer', 'Claude wants to use Bash', r."question", 'open'
    FROM jsonb_to_recordset($1::jsonb) r("id" uuid, "question" jsonb)`,
    [JSON.stringify(rows), agentId, userId],
  )
  // Makes the statistics that the database has after a while.
  await database.exec('VACUUM ANALYZE')
  await database.close()
}
