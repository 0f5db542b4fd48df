/** The sessions in whose name git signs in. */
import type { PrismaClient } from '../../database/generated/client.ts'
import type { Proof } from '../identity/caller.ts'

const KINDS: readonly Proof['kind'][] = ['sign_in', 'user', 'discord', 'api_token']

export class GitSessionRepository {
  readonly #prisma: PrismaClient

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma
  }

  /** Whose session it is, and how they had authenticated. Null: there is no such session in the agent, or it has ended. */
  async open(agentId: string, id: string): Promise<{ readonly userId: string; readonly via: Proof } | null> {
    const found = await this.#prisma.terminalSession.findFirst({
      where: { id, agentId, endedAt: null },
      select: { userId: true, via: true, viaId: true },
    })
    const kind = KINDS.find((one) => one === found?.via)
    return found && kind && found.viaId !== null ? { userId: found.userId, via: { kind, id: found.viaId } } : null
  }
}
