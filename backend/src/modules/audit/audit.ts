/**
 * Writes to the audit log. An act whose row is refused must not happen: call this inside the act's own transaction, or
 * before the act.
 */
import { AUDIT_ACTIONS, type AuditAction } from '@slipway/protocol'
import type { Clock } from '../../lib/time/clock.ts'
import { AppError } from '../../lib/errors.ts'
import type { NewId } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import { isDatabaseGone } from '../../database/errors.ts'
import type { Actor } from './actor.ts'
import type { Changes } from './audited.ts'
import { cleanDetail, cleanText } from './detail.ts'
import { type AuditTransaction, insertEvents, type NewAuditRow } from './repository.ts'

/** What the act changed. The name is the one at that time. */
export interface Target {
  readonly id: string | null
  readonly name: string | null
}

/** Facts about one act. Never a secret, never input of a terminal. */
export interface Facts {
  readonly changes?: Changes
  readonly [fact: string]: unknown
}

/** One act. */
export interface AuditEntry {
  readonly actor: Actor
  readonly action: AuditAction
  /** Null for acts without a target. */
  readonly target: Target | null
  readonly detail?: Facts
}

/** The log, for modules that write to it. */
export interface Audit {
  /**
   * Writes a row for each entry. Throws `AUDIT_REFUSED` if the database refuses a row, and the database's error if it
   * does not answer. In both cases the caller must not continue.
   */
  record(tx: AuditTransaction, ...entries: readonly AuditEntry[]): Promise<void>
  /** The same, before an act outside of the database. */
  recordNow(...entries: readonly AuditEntry[]): Promise<void>
}

/** What {@link createAudit} needs. */
export interface AuditDeps {
  readonly prisma: AuditTransaction
  readonly clock: Clock
  readonly newId: NewId
  readonly log: Pick<Log, 'error'>
}

/** The only writer of the log. */
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
