/** The log in the database. It is read the newest first, along the primary key, whose order is the order of time. */
import { AUDIT_ACTIONS, type AuditEvent, type AuditVia } from '@slipway/protocol'
import { isUuid, lowestIdAt } from '../../lib/ids.ts'
import type { PageStart } from '../../lib/page.ts'
import type { Prisma, PrismaClient, AuditEvent as AuditRow } from '../../database/generated/client.ts'

/** The events to find; times are ISO 8601. */
export interface AuditFilter {
  /** An id or an e-mail address. */
  readonly actor?: string
  /** An action, or the part before the dot of several. */
  readonly action?: string
  /** An id or a name. */
  readonly target?: string
  readonly from?: string
  readonly to?: string
}

/** The client, or one transaction of it. */
export type AuditTransaction = Pick<PrismaClient, 'auditEvent'>

/** A row that is not stored yet. */
export type NewAuditRow = Prisma.AuditEventCreateManyInput

/** Rejects if the database refuses one of the rows; then none is stored. */
export async function insertEvents(tx: AuditTransaction, rows: NewAuditRow[]): Promise<void> {
  await tx.auditEvent.createMany({ data: rows })
}

/** The log, for modules that read it. */
export interface AuditRepository {
  /** Answers one row more than the page's limit if there is another page. */
  list(filter: AuditFilter, page: PageStart): Promise<AuditRow[]>
}

/** Every filter has an index that ends in the id, so that a page is one short index scan. */
export function createAuditRepository(prisma: AuditTransaction): AuditRepository {
  return {
    list: (filter, { limit, after }) =>
      prisma.auditEvent.findMany({ where: whereOf(filter, after), orderBy: { id: 'desc' }, take: limit + 1 }),
  }
}

function whereOf({ actor, action, target, from, to }: AuditFilter, after: string | null): Prisma.AuditEventWhereInput {
  const before = [after, to === undefined ? null : lowestIdAt(Date.parse(to))].filter((id) => id !== null)
  const id = {
    ...(from === undefined ? {} : { gte: lowestIdAt(Date.parse(from)) }),
    // Ids have one length and are in lower case, so they sort as text.
    ...(before.length === 0 ? {} : { lt: before.sort()[0] as string }),
  }
  return {
    id,
    ...(actor === undefined ? {} : isUuid(actor) ? { actorId: actor } : { actorEmail: actor.trim().toLowerCase() }),
    ...(action === undefined ? {} : { action: action.includes('.') ? action : { in: actionsOf(action) } }),
    ...(target === undefined ? {} : isUuid(target) ? { OR: byIdOrName(target) } : { targetName: target }),
  }
}

/** A name may look like an id. */
const byIdOrName = (target: string) => [{ targetId: target }, { targetName: target }]

/** A list, because an index serves it in any collation of the database. */
const actionsOf = (group: string): string[] =>
  Object.keys(AUDIT_ACTIONS).filter((action) => action.startsWith(`${group}.`))

/** An event as the API shows it. */
export function presentEvent(row: AuditRow): AuditEvent {
  const hasTarget = row.targetType !== null
  return {
    id: row.id,
    at: row.at.toISOString(),
    action: row.action,
    actor: {
      id: row.actorId,
      email: row.actorEmail,
      via: row.via as AuditVia,
      viaId: row.viaId,
      address: row.address,
    },
    requestId: row.requestId,
    target: hasTarget ? { type: row.targetType ?? '', id: row.targetId, name: row.targetName } : null,
    detail: row.detail as AuditEvent['detail'],
  }
}
