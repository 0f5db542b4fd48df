/** The browsers that get pushes, in the database. */
import { PUSH_DEVICES_MAX, type AddPushDevice } from '@slipway/protocol'
import type { Prisma, PrismaClient } from '../../../database/generated/client.ts'
import { AppError } from '../../../lib/errors.ts'
import type { Actor } from '../../audit/actor.ts'
import type { Audit } from '../../audit/audit.ts'

/** A stored device. */
export interface DeviceRow extends AddPushDevice {
  readonly id: string
  readonly userId: string
  readonly signInId: string
  readonly name: string
  readonly createdAt: Date
  readonly sentAt: Date | null
}

/** Its user, as the audit log names them. */
interface DeviceUser {
  readonly userId: string
  readonly email: string
}

/** Why the server removed a device by itself. */
export type Gone = 'expired' | 'signed_out'

export class DeviceRepository {
  readonly #prisma: PrismaClient
  readonly #audit: Pick<Audit, 'record'>

  constructor(prisma: PrismaClient, audit: Pick<Audit, 'record'>) {
    this.#prisma = prisma
    this.#audit = audit
  }

  /** Oldest first. */
  async of(userId: string): Promise<DeviceRow[]> {
    return this.#prisma.pushDevice.findMany({ where: { userId }, orderBy: { id: 'asc' } })
  }

  /** The user is part of the query. */
  async find(userId: string, id: string): Promise<DeviceRow | null> {
    return this.#prisma.pushDevice.findFirst({ where: { id, userId } })
  }

  /**
   * Stores a device. The same browser replaces its earlier row, also that of another user who had it before, and also with
   * a new endpoint: a sign-in is of one browser. Throws `TOO_MANY_DEVICES`.
   */
  async add(device: Omit<DeviceRow, 'sentAt'>, { email }: DeviceUser, actor: Actor): Promise<DeviceRow> {
    return this.#prisma.$transaction(async (tx) => {
      await tx.$executeRaw`SELECT 1 FROM "User" WHERE "id" = ${device.userId}::uuid FOR UPDATE`
      const { endpoint, signInId } = device
      await tx.pushDevice.deleteMany({ where: { OR: [{ endpoint }, { signInId }] } })
      if ((await tx.pushDevice.count({ where: { userId: device.userId } })) >= PUSH_DEVICES_MAX)
        throw new AppError('TOO_MANY_DEVICES', `You have ${PUSH_DEVICES_MAX} devices. Remove one of them.`)
      const row = await tx.pushDevice.create({ data: device })
      const entry = { actor, action: 'push.added', target: { id: device.userId, name: email } } as const
      await this.#audit.record(tx, { ...entry, detail: factsOf(row) })
      return row
    })
  }

  /** `because`: the server removes it by itself. False if it is gone. */
  async remove({ id, userId, name }: DeviceRow, email: string, actor: Actor, because?: Gone): Promise<boolean> {
    return this.#prisma.$transaction(async (tx) => {
      const { count } = await tx.pushDevice.deleteMany({ where: { id, userId } })
      if (count === 0) return false
      const entry = { actor, action: 'push.removed', target: { id: userId, name: email } } as const
      await this.#audit.record(tx, { ...entry, detail: { ...factsOf({ id, name }), ...(because && { because }) } })
      return true
    })
  }

  /** Records that its user tests it. */
  async recordTest(device: DeviceRow, email: string, actor: Actor): Promise<void> {
    const entry = { actor, action: 'push.tested', target: { id: device.userId, name: email } } as const
    await this.#audit.record(this.#prisma, { ...entry, detail: factsOf(device) })
  }

  async sent(id: string, at: Date): Promise<void> {
    await this.#prisma.pushDevice.updateMany({ where: { id }, data: { sentAt: at } })
  }
}

const factsOf = ({ id, name }: Pick<DeviceRow, 'id' | 'name'>): Prisma.InputJsonObject => ({
  deviceId: id,
  device: name,
})
