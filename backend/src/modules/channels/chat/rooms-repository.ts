/** Which agents may be talked with in which channels of a chat service, in the database. */
import type { PrismaClient } from '../../../database/generated/client.ts'
import type { AuditEntry, Audit } from '../../audit/audit.ts'

export class ChatRoomRepository {
  readonly #prisma: PrismaClient
  readonly #audit: Pick<Audit, 'record'>
  readonly #service: string

  constructor(prisma: PrismaClient, audit: Pick<Audit, 'record'>, service: string) {
    this.#prisma = prisma
    this.#audit = audit
    this.#service = service
  }

  /** The channels of an agent, sorted. */
  async of(agentId: string): Promise<string[]> {
    const where = { agentId, service: this.#service }
    const rows = await this.#prisma.chatRoom.findMany({ where, orderBy: { roomId: 'asc' }, select: { roomId: true } })
    return rows.map(({ roomId }) => roomId)
  }

  /** The names of a channel's agents, sorted. */
  async agentsIn(roomId: string): Promise<string[]> {
    const rows = await this.#prisma.chatRoom.findMany({
      where: { roomId, service: this.#service },
      orderBy: { agent: { name: 'asc' } },
      select: { agent: { select: { name: true } } },
    })
    return rows.map(({ agent }) => agent.name)
  }

  /** Replaces the channels of an agent. Its threads in a channel that is taken away show their conversations no more. */
  async set(agentId: string, roomIds: readonly string[], createdAt: Date, entry: AuditEntry): Promise<void> {
    const service = this.#service
    await this.#prisma.$transaction(async (tx) => {
      await tx.$executeRaw`SELECT 1 FROM "Agent" WHERE "id" = ${agentId}::uuid FOR UPDATE`
      const closed = { service, roomId: { notIn: [...roomIds] } }
      await tx.chatRoom.deleteMany({ where: { agentId, ...closed } })
      await tx.chatThread.updateMany({
        where: { ...closed, goneAt: null, conversation: { is: { agentId } } },
        data: { goneAt: createdAt },
      })
      const data = roomIds.map((roomId) => ({ roomId, agentId, service, createdAt }))
      await tx.chatRoom.createMany({ data, skipDuplicates: true })
      await this.#audit.record(tx, entry)
    })
  }
}
