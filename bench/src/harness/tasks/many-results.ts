/** Makes a database with many results by SQL. As tasks they would take a day. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'

/** Rows of one statement. */
const BATCH = 100
/** Lengths of a prompt and of an answer, in characters. Most are near the first. */
const LENGTHS = [200, 6_000] as const
/** A word that is in every five hundredth prompt. */
export const RARE = 'needle42'
/** Words that are in nearly all texts. */
export const FREQUENT = 'error in'
const WORDS =
  'the a fix add test function server error in of to for with user list page change build module file line value return await promise class type string number record session terminal agent run task engine container database query index search token cost budget plan tool call command model answer output stream event'.split(
    ' ',
  )
/** A share of the words is in few texts, as names and numbers are. */
const NAMES_SHARE = 0.1
const RARE_EVERY = 500

/** The same numbers in each run, from 0 to 1. */
const random = (() => {
  let state = 1
  return (): number => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 1) / 0x7fff_ffff
})()

const textOf = (): string => {
  const length = LENGTHS[0] + random() * random() * LENGTHS[1]
  let text = ''
  while (text.length < length) {
    const isName = random() < NAMES_SHARE
    text += `${isName ? Math.floor(random() * 1e6).toString(36) : WORDS[Math.floor(random() * random() * WORDS.length)]} `
  }
  return text
}

/** Gives a user so many results in the agent of this id, in the data folder of a stopped server. */
export const makeResults = async (
  dataDir: string,
  { userId, agentId, count }: { readonly userId: string; readonly agentId: string; readonly count: number },
): Promise<void> => {
  const database = await PGlite.create(join(dataDir, 'database'))
  for (let made = 0; made < count; made += BATCH) {
    const rows = Array.from({ length: BATCH }, (_, index) => {
      const number = made + index
      const id = randomUUID()
      const prompt = `${number % RARE_EVERY === 0 ? `${RARE} ` : ''}${textOf()}`
      return { id, sessionId: id, prompt, result: textOf(), age: count - number }
    })
    await database.query(
      `INSERT INTO "CodingRun" ("id", "sessionId", "agentId", "agentName", "userId", "provider", "prompt", "cwd",
        "timeoutSeconds", "personal", "state", "reason", "exitCode", "result", "createdAt", "startedAt", "endedAt")
      SELECT r."id", r."sessionId", $2, 'many', $3, 'claude-code', r."prompt", '/home/developer',
        300, false, 'completed', 'completed', 0, r."result", now() - r."age" * interval '1 minute', now(), now()
      FROM jsonb_to_recordset($1::jsonb) r("id" uuid, "sessionId" uuid, "prompt" text, "result" text, "age" int)`,
      [JSON.stringify(rows), agentId, userId],
    )
  }
  // Makes the statistics that the database has after a while.
  await database.exec('VACUUM ANALYZE')
  await database.close()
}
