/** Makes a database with many users and agents by SQL. Through the API ten thousand would take an hour. */
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'

/** The users own the agents in turns. Each agent is shared with the two users after its owner. */
const USERS = 50

export const nameOf = (number: number): string => `agent-${String(number).padStart(5, '0')}`

/** Adds agents to the data folder of a stopped server until there are `count`. Answers the id of the first. */
export const makeAgents = async (dataDir: string, count: number): Promise<string> => {
  const database = await PGlite.create(join(dataDir, 'database'))
  await database.query(
    `INSERT INTO "User" ("id", "email")
    SELECT gen_random_uuid(), 'user-' || n || '@many.example' FROM generate_series(1, $1::int) n
    ON CONFLICT DO NOTHING`,
    [USERS],
  )
  await database.query(
    `WITH person AS (SELECT "id", (row_number() OVER (ORDER BY "email") - 1)::int AS number FROM "User"),
      made AS (
        INSERT INTO "Agent" ("id", "name", "ownerId", "runtime", "model", "cpus", "memoryMb")
        SELECT gen_random_uuid(), 'agent-' || lpad(n::text, 5, '0'), p."id", 'claude-code', 'opus', 2, 4096
        FROM generate_series(1, $1::int) n
        JOIN person p ON p.number = n % (SELECT count(*)::int FROM person)
        ON CONFLICT DO NOTHING
        RETURNING "id", "ownerId"
      )
    INSERT INTO "Share" ("agentId", "userId")
    SELECT made."id", sharee."id" FROM made
    JOIN person owner ON owner."id" = made."ownerId"
    JOIN person sharee ON (sharee.number - owner.number + (SELECT count(*)::int FROM person)) %
      (SELECT count(*)::int FROM person) IN (1, 2)`,
    [count],
  )
  // Makes the statistics that the database has after a while.
  await database.exec('ANALYZE')
  const { rows } = await database.query<{ id: string }>('SELECT "id" FROM "Agent" WHERE "name" = $1', [nameOf(1)])
  await database.close()
  const [first] = rows
  if (first === undefined) throw new Error(`there is no ${nameOf(1)}`)
  return first.id
}
