/** The log as a file. It is read from the database in pieces, as fast as the client reads. */
import type { AuditEvent } from '@slipway/protocol'
import type { AuditFilter, AuditRepository } from './repository.ts'
import { presentEvent } from './repository.ts'

/** Rows in memory at once: some hundred kilobytes. */
const PIECE_ROWS = 500

const COLUMNS = [
  'id',
  'at',
  'action',
  'actor_email',
  'actor_id',
  'via',
  'via_id',
  'address',
  'request_id',
  'target_type',
  'target_name',
  'target_id',
  'detail',
] as const

/**
 * A spreadsheet treats a cell that begins so as a formula, and a user's name could be one. Some programs also treat the
 * full-width and small forms of these characters so; therefore the compatible form counts (Unicode, NFKC).
 */
const FORMULA = /^[=+\-@\t\r\n]/

const cell = (value: string | null): string => {
  const text = value ?? ''
  const inert = FORMULA.test(text.slice(0, 1).normalize('NFKC')) ? `'${text}` : text
  return `"${inert.replaceAll('"', '""')}"`
}

/** One line of RFC 4180, every cell in quotes. */
export const csvLine = (values: readonly (string | null)[]): string => `${values.map(cell).join(',')}\r\n`

const toCsv = ({ id, at, action, actor, requestId, target, detail }: AuditEvent): string =>
  csvLine([
    id,
    at,
    action,
    actor.email,
    actor.id,
    actor.via,
    actor.viaId,
    actor.address,
    requestId,
    target?.type ?? null,
    target?.name ?? null,
    target?.id ?? null,
    JSON.stringify(detail),
  ])

/** How each format begins, and how it writes an event. */
const FORMATS = {
  csv: { type: 'text/csv; charset=utf-8', head: csvLine(COLUMNS), line: toCsv },
  ndjson: {
    type: 'application/x-ndjson; charset=utf-8',
    head: '',
    line: (event: AuditEvent) => `${JSON.stringify(event)}\n`,
  },
} as const

export type ExportFormat = keyof typeof FORMATS

/** The media type of a format. */
export const mediaTypeOf = (format: ExportFormat): string => FORMATS[format].type

/**
 * The newest event first, beginning with those that existed when it was requested: `before` is the first id that is
 * left out.
 */
export async function* exportOf(
  events: AuditRepository,
  { format, filter, before }: { format: ExportFormat; filter: AuditFilter; before: string },
): AsyncGenerator<string> {
  const { head, line } = FORMATS[format]
  if (head !== '') yield head
  for (let after: string | null = before; after !== null;) {
    const rows = await events.list(filter, { limit: PIECE_ROWS, after })
    const piece = rows.slice(0, PIECE_ROWS)
    yield piece.map((row) => line(presentEvent(row))).join('')
    after = rows.length > PIECE_ROWS ? (piece.at(-1)?.id ?? null) : null
  }
}
