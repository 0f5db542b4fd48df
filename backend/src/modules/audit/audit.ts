/** Writes what was done into the log. A row that is refused refuses the act: call it inside the act's own transaction, or before. */
import { AUDIT_ACTIONS, type AuditAction } from '@slipway/protocol'
import type { Clock } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import type { NewId } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import { isDatabaseGone } from '../../database/errors.ts'
import type { Actor } from './actor.ts'
import type { Changes } from './audited.ts'
import { cleanDetail, cleanText } from './detail.ts'
import { type AuditTransaction, insertEvents, type NewAuditRow } from './repository.ts'

/** What something was done to; the name is the one of now. */
export interface Target {
  readonly id: string | null
  readonly name: string | null
}

/** Facts about one act. Never a secret, never what somebody typed into a terminal. */
export interface Facts {
  readonly changes?: Changes
  readonly [fact: string]: unknown
}

/** One act. */
export interface AuditEntry {
  readonly actor: Actor
  readonly action: AuditAction
  /** Null for actions that are about nothing in particular. */
  readonly target: Target | null
  readonly detail?: Facts
}

/** The log, for those who write into it. */
export interface Audit {
  /**
   * Writes a row for each. Throws `AUDIT_REFUSED` when the database does not take them, and what the database threw when it does
   * not answer; either way the caller must not go on.
   */
  record(tx: AuditTransaction, ...entries: readonly AuditEntry[]): Promise<void>
  /** The same, before acts outside of the database. */
  recordNow(...entries: readonly AuditEntry[]): Promise<void>
}

/** What {@link createAudit} needs. */
export interface AuditDeps {
  readonly prisma: AuditTransaction
  readonly clock: Clock
  readonly newId: NewId
  readonly log: Pick<Log, 'error'>
}

/** The one writer of the log. */
export function createAudit({ prisma, clock, newId, log }: AuditDeps): Audit {
  const rowOf = ({ actor, action, target, detail = {} }: AuditEntry): NewAuditRow => {
    const type = AUDIT_ACTIONS[action].target
    return {
      id: newId(),
      at: new Date(clock.now()),
      action,
      actorId: actor.userId,
      actorEmail: actor.email,
      via: actor.via.kind,
      viaId: actor.via.id,
      address: actor.source.address,
      requestId: actor.source.requestId,
      targetType: target && type,
      targetId: target?.id ?? null,
      targetName: target?.name == null ? null : cleanText(target.name),
      detail: cleanDetail(detail) as NewAuditRow['detail'],
    }
  }
  const audit: Audit = {
    recordNow: (...entries) => audit.record(prisma, ...entries),
    async record(tx, ...entries) {
      const rows = entries.map(rowOf)
      try {
        await insertEvents(tx, rows)
      } catch (cause) {
        if (isDatabaseGone(cause)) throw cause
        const actions = entries.map(({ action }) => action)
        log.error({ actions, err: cause }, 'the audit log refused a row')
        throw refused(cause)
      }
    },
  }
  return audit
}

function refused(cause: unknown): AppError {
  const message = 'This could not be recorded in the audit log, so it was not done. The log of the server says why.'
  return new AppError('AUDIT_REFUSED', message, { cause })
}
