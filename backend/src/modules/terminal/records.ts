/** Sessions in the database: the origin of what lives on in a container, and what a killed backend left open. */
import type { Log } from '../../lib/log.ts'
import type { PrismaClient } from '../../plugins/database/generated/client.ts'
import type { Ending } from './ending.ts'

export interface SessionStart {
  readonly id: string
  readonly agentId: string
  readonly userId: string
  readonly mode: string
  readonly leader: string
}

/** How it ended; only a program without a terminal has a time that can be over. */
export interface SessionEnd {
  readonly reason: Ending['reason'] | 'timed_out'
  readonly exitCode?: number
}

export interface Origin {
  readonly sessionId: string
  readonly mode: string
  readonly email: string
  readonly startedAt: Date
  readonly endedAt: Date | null
}

/** Sessions of an earlier backend are ended in pieces of this many. */
const OPEN_AT_ONCE = 1000

export class SessionRecords {
  readonly #prisma: PrismaClient
  readonly #log: Log
  /** Writes in progress by session: the end is written after the start, and nobody who types waits for either. */
  readonly #writing = new Map<string, Promise<void>>()

  constructor(prisma: PrismaClient, log: Log) {
    this.#prisma = prisma
    this.#log = log
  }

  started(session: SessionStart): void {
    this.#write(session.id, async () => void (await this.#prisma.terminalSession.create({ data: { ...session } })))
  }

  ended(sessionId: string, ending: SessionEnd): void {
    const data = { endedAt: new Date(), endReason: ending.reason, exitCode: ending.exitCode ?? null }
    // updateMany: with its agent deleted, the row is gone and there is nothing to write.
    this.#write(
      sessionId,
      async () => void (await this.#prisma.terminalSession.updateMany({ where: { id: sessionId }, data })),
    )
  }

  /** Resolves when everything so far is written. */
  async settled(): Promise<void> {
    await Promise.all(this.#writing.values())
  }

  async origins(agentId: string, sessionIds: readonly string[]): Promise<Map<string, Origin>> {
    const rows = await this.#prisma.terminalSession.findMany({
      where: { agentId, id: { in: [...sessionIds] } },
      include: { user: { select: { email: true } } },
    })
    return new Map(
      rows.map((row) => [
        row.id,
        { sessionId: row.id, mode: row.mode, email: row.user.email, startedAt: row.startedAt, endedAt: row.endedAt },
      ]),
    )
  }

  /** What an earlier backend did not come to end. */
  async leftOpen(): Promise<{ id: string; agentId: string; leader: string | null; startedAt: Date }[]> {
    return this.#prisma.terminalSession.findMany({
      where: { endedAt: null },
      select: { id: true, agentId: true, leader: true, startedAt: true },
      take: OPEN_AT_ONCE,
    })
  }

  #write(sessionId: string, write: () => Promise<void>): void {
    const before = this.#writing.get(sessionId) ?? Promise.resolve()
    const written = before
      .then(write)
      .catch((error: unknown) => this.#log.error({ sessionId, err: error }, 'session could not be recorded'))
      .finally(() => {
        if (this.#writing.get(sessionId) === written) this.#writing.delete(sessionId)
      })
    this.#writing.set(sessionId, written)
  }
}
