/** How the terminals of interactive runs have ended, in the database. */
import { END_REASONS } from '@slipway/protocol'
import type { PrismaClient } from '../../../database/generated/client.ts'
import type { EndedTerminal } from './end.ts'

export class TerminalEnds {
  readonly #prisma: PrismaClient

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma
  }

  /** The stored end of a session; null if it has none, or if no client was told of it. */
  async of(sessionId: string): Promise<EndedTerminal | null> {
    const row = await this.#prisma.terminalSession.findUnique({
      where: { id: sessionId },
      select: { endReason: true, exitCode: true },
    })
    const reason = END_REASONS.find((one) => one === row?.endReason)
    return row && reason ? { reason, message: 'Its terminal has ended.', exitCode: row.exitCode } : null
  }
}
