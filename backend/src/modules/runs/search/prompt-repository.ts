/** Prompts for lists, which show only the beginning of a long one. */
import { Prisma, type PrismaClient } from '../../../database/generated/client.ts'

/** How much of a prompt a list shows, in UTF-16 code units. */
export const PROMPT_SHOWN = 1000

const TABLES = { run: Prisma.sql`"CodingRun"`, schedule: Prisma.sql`"Schedule"`, comparison: Prisma.sql`"Comparison"` }

/**
 * The rows with their prompts, which may have a mebibyte each. The database cuts them, one character after what a list
 * shows. A row that was deleted meanwhile is left out.
 */
export const withBeginnings = async <Row extends { readonly id: string }>(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  table: keyof typeof TABLES,
  rows: readonly Row[],
): Promise<(Row & { readonly prompt: string })[]> => {
  const ids = rows.map(({ id }) => id)
  const found = await prisma.$queryRaw<{ readonly id: string; readonly prompt: string }[]>`
    SELECT "id", left("prompt", ${PROMPT_SHOWN + 1}) AS "prompt" FROM ${TABLES[table]} WHERE "id" = ANY(${ids}::uuid[])`
  const prompts = new Map(found.map(({ id, prompt }) => [id, prompt]))
  return rows.flatMap((row) => {
    const prompt = prompts.get(row.id)
    return prompt === undefined ? [] : [{ ...row, prompt }]
  })
}
