/** Sessions in the database. */
import { isForeignKeyViolation } from '../../../database/errors.ts'
import type { PrismaClient } from '../../../database/generated/client.ts'
import type { AgentRow } from '../../agents/rows.ts'
import type { Audit, AuditEntry } from '../../audit/audit.ts'
import type { Proof } from '../../identity/caller.ts'
import type { PastSession } from './past-session.ts'

/** Most open sessions that one query returns. */
export const OPEN_AT_ONCE = 1000

/** A session to store. */
export interface NewSession {
  readonly id: string
  readonly agentId: string
  readonly userId: string
  readonly mode: string
  readonly personal: boolean
  readonly via: Proof
  /** The CLI's own session that a terminal continues, or null. */
  readonly cliSessionId: string | null
  /** Which of its user's terminals in the agent it is. Null: the one without a name. */
  readonly tab: string | null
  /** Whether it is the terminal of a task. */
  readonly task: boolean
}

/** The stored end of a session. */
export interface StoredEnd {
  readonly endedAt: Date
  readonly endReason: string
  readonly exitCode: number | null
}

export interface Origin {
  readonly sessionId: string
  readonly mode: string
  readonly email: string
  readonly startedAt: Date
  readonly endedAt: Date | null
}

/** A user who has no right to an agent in which they had a session. */
export interface FormerUser {
  readonly agentId: string
  readonly userId: string
}

/** A session that an earlier backend did not end. */
export interface LeftSession {
  readonly id: string
  readonly mode: string
  readonly agentId: string
  readonly userId: string
  /** Null if its first process was never known. */
  readonly leader: string | null
  readonly startedAt: Date
  readonly personal: boolean
  /** The CLI's own session that it continues. Absent or null: none. */
  readonly cliSessionId?: string | null
  /** Which of its user's terminals in the agent it is. Absent or null: the one without a name. */
  readonly tab?: string | null
  /** Whether it is the terminal of a task. Absent: no. */
  readonly task?: boolean
  /** The proof with which its user attached last. */
  readonly via: Proof | null
}

/** A session without an end, with the names for the record of its end. */
export interface OpenSession {
  readonly session: LeftSession
  readonly email: string
  readonly agent: Pick<AgentRow, 'id' | 'name' | 'ownerEmail'>
  /** The task whose process it is. Absent: none. */
  readonly taskId?: string
}

const isProofKind = (kind: string | null): kind is Proof['kind'] =>
  kind === 'sign_in' || kind === 'user' || kind === 'discord' || kind === 'api_token'
const columnsOf = ({ kind, id }: Proof): { via: string; viaId: string } => ({ via: kind, viaId: id })

/** Writes the audit entry of a session's start or end in the same transaction. */
export class SessionRepository {
  readonly #prisma: PrismaClient
  readonly #audit: Audit

  constructor(prisma: PrismaClient, audit: Audit) {
    this.#prisma = prisma
    this.#audit = audit
  }

  /** False if the agent or the user is gone. */
  async begin({ via, ...session }: NewSession, entry: AuditEntry): Promise<boolean> {
    try {
      await this.#prisma.$transaction(async (tx) => {
        await tx.terminalSession.create({ data: { ...session, ...columnsOf(via) } })
        await this.#audit.record(tx, entry)
      })
      return true
    } catch (error) {
      if (isForeignKeyViolation(error)) return false
      throw error
    }
  }

  /** Stores its first process. If its agent is deleted, the row is gone and nothing is written. */
  async setLeader(id: string, leader: string): Promise<void> {
    await this.#prisma.terminalSession.updateMany({ where: { id }, data: { leader } })
  }

  /**
   * Stores the proof that the session depends on from now on. If its agent is deleted, the row is gone and nothing is
   * written.
   */
  async setProof(id: string, proof: Proof): Promise<void> {
    await this.#prisma.terminalSession.updateMany({ where: { id }, data: columnsOf(proof) })
  }

  /**
   * Only the first end is stored. If the agent was deleted, the session has no row, and only the audit entry is
   * written.
   */
  async end(id: string, end: StoredEnd, entry: AuditEntry): Promise<void> {
    await this.#prisma.$transaction(async (tx) => {
      const { count } = await tx.terminalSession.updateMany({ where: { id, endedAt: null }, data: end })
      // An earlier attempt succeeded, and its answer was lost.
      if (count === 0 && (await tx.terminalSession.count({ where: { id } })) > 0) return
      await this.#audit.record(tx, entry)
    })
  }

  /** A user's session with an agent. */
  async find(id: string, of: { readonly agentId: string; readonly userId: string }): Promise<PastSession | null> {
    const { agentId, userId } = of
    return this.#prisma.terminalSession.findFirst({
      where: { id, agentId, userId },
      select: { mode: true, endReason: true, exitCode: true },
    })
  }

  /** The agent and the user of a session whose mode is none of these. Only for callers that ask for the right then. */
  async owned(id: string, except: readonly string[]): Promise<{ agentId: string; userId: string } | null> {
    return this.#prisma.terminalSession.findFirst({
      where: { id, mode: { notIn: [...except] } },
      select: { agentId: true, userId: true },
    })
  }

  /** Marks the agent as lent and records it: from now on another user types in one of its terminals. */
  async lend(agentId: string, entry: AuditEntry): Promise<void> {
    await this.#prisma.$transaction(async (tx) => {
      await tx.agent.updateMany({ where: { id: agentId }, data: { lentAt: new Date() } })
      await this.#audit.record(tx, entry)
    })
  }

  /** The sessions among these that a user started before `until`. Empty for an admin, who needs no share. */
  async ofUser(ids: readonly string[], userId: string, until: Date): Promise<Set<string>> {
    const rows = await this.#prisma.terminalSession.findMany({
      where: { id: { in: [...ids] }, userId, startedAt: { lte: until }, user: { role: 'user' } },
      select: { id: true },
    })
    return new Set(rows.map(({ id }) => id))
  }

  /** Users who had sessions with agents that are neither theirs nor shared with them now; at most `count`. Admins need no share. */
  formerUsers(count: number): Promise<FormerUser[]> {
    return this.#prisma.$queryRaw<FormerUser[]>`
      SELECT DISTINCT t."agentId", t."userId" FROM "TerminalSession" t
      JOIN "User" u ON u."id" = t."userId" AND u."role" = 'user'
      JOIN "Agent" a ON a."id" = t."agentId" AND a."ownerId" IS DISTINCT FROM t."userId"
      WHERE NOT EXISTS (SELECT 1 FROM "Share" s WHERE s."agentId" = t."agentId" AND s."userId" = t."userId")
      LIMIT ${count}`
  }

  /** The sessions among these that have not ended. */
  async going(ids: readonly string[]): Promise<Set<string>> {
    const going = new Set<string>()
    for (let at = 0; at < ids.length; at += OPEN_AT_ONCE) {
      const rows = await this.#prisma.terminalSession.findMany({
        where: { id: { in: ids.slice(at, at + OPEN_AT_ONCE) }, endedAt: null },
        select: { id: true },
      })
      for (const row of rows) going.add(row.id)
    }
    return going
  }

  async origins(agentId: string, ids: readonly string[]): Promise<Map<string, Origin>> {
    const rows = await this.#prisma.terminalSession.findMany({
      where: { agentId, id: { in: [...ids] } },
      include: { user: { select: { email: true } } },
    })
    return new Map(
      rows.map((row) => [
        row.id,
        { sessionId: row.id, mode: row.mode, email: row.user.email, startedAt: row.startedAt, endedAt: row.endedAt },
      ]),
    )
  }

  /** The sessions without an end except `but`; at most {@link OPEN_AT_ONCE}. */
  async open(but: readonly string[]): Promise<OpenSession[]> {
    const rows = await this.#prisma.terminalSession.findMany({
      where: { endedAt: null, id: { notIn: [...but] } },
      include: {
        user: { select: { email: true } },
        agent: { select: { id: true, name: true, owner: { select: { email: true } } } },
      },
      take: OPEN_AT_ONCE,
    })
    const taskOf = await this.#tasksOf(rows.map(({ id }) => id))
    return rows.map(
      ({
        id,
        mode,
        agentId,
        userId,
        leader,
        startedAt,
        personal,
        cliSessionId,
        tab,
        task,
        via,
        viaId,
        user,
        agent,
      }) => {
        const { owner, ...named } = agent
        const taskId = taskOf.get(id)
        const proof = viaId !== null && isProofKind(via) ? { kind: via, id: viaId } : null
        return {
          session: { id, mode, agentId, userId, leader, startedAt, personal, cliSessionId, tab, task, via: proof },
          email: user.email,
          agent: { ...named, ownerEmail: owner?.email ?? null },
          ...(taskId !== undefined && { taskId }),
        }
      },
    )
  }

  /** The tasks of these sessions, by session. */
  async #tasksOf(ids: readonly string[]): Promise<Map<string, string>> {
    const where = { sessionId: { in: [...ids] } }
    const runs = await this.#prisma.codingRun.findMany({ where, select: { id: true, sessionId: true } })
    return new Map(runs.map(({ id, sessionId }) => [sessionId, id]))
  }
}
