/** A user's own channels: their devices, and answers that come from messages. */
import { ECDH } from 'node:crypto'
import type { AddPushDevice, AnswerDialog, Channels, Dialog, PushDevice, PushTest } from '@slipway/protocol'
import type { Clock } from '../../lib/time/clock.ts'
import { AppError, notFound } from '../../lib/errors.ts'
import { isUuid, type NewId } from '../../lib/ids.ts'
import { PLATFORM } from '../audit/actor.ts'
import type { DialogService } from '../dialogs/service.ts'
import { actorOf, type Caller } from '../identity/caller.ts'
import { deviceIn } from '../identity/sign-ins/present.ts'
import { TEST_PUSH } from './message.ts'
import type { NoticeRepository } from './outbox/repository.ts'
import type { PushKeyRepository } from './push/key-repository.ts'
import type { DeviceRepository, DeviceRow } from './push/repository.ts'
import type { PushSender } from './push/sender.ts'

interface Deps {
  readonly keys: Pick<PushKeyRepository, 'keys'>
  readonly devices: DeviceRepository
  readonly notices: Pick<NoticeRepository, 'find'>
  readonly pushes: Pick<PushSender, 'send'>
  readonly dialogs: Pick<DialogService, 'answer'>
  /** Whether mail can be sent. */
  readonly mail: boolean
  readonly newId: NewId
  readonly clock: Clock
}

export class ChannelService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async get(caller: Caller): Promise<Channels> {
    const { keys, devices, mail } = this.#deps
    const rows = await devices.of(caller.userId)
    return { publicKey: keys.keys?.publicKey ?? null, devices: rows.map((row) => present(caller, row)), mail }
  }

  /** Throws `VALIDATION`, `TOO_MANY_DEVICES`, `SECRET_KEY_MISMATCH`. */
  async addDevice(caller: Caller, device: AddPushDevice, userAgent: string | null): Promise<PushDevice> {
    const { keys, devices, newId, clock } = this.#deps
    if (keys.keys === null)
      throw new AppError('SECRET_KEY_MISMATCH', 'The server cannot read its keys for pushes. Its log says what to do.')
    if (URL.canParse(device.endpoint) && new URL(device.endpoint).username !== '')
      throw new AppError('VALIDATION', 'body.endpoint: must not contain a user name')
    if (!URL.canParse(device.endpoint)) throw new AppError('VALIDATION', 'body.endpoint: must be an https address')
    if (!isOnCurve(device.p256dh)) throw new AppError('VALIDATION', 'body.p256dh: must be a point of the curve P-256')
    const row = {
      ...device,
      id: newId(),
      userId: caller.userId,
      signInId: signInOf(caller),
      name: deviceIn(userAgent),
      createdAt: new Date(clock.now()),
    }
    return present(caller, await devices.add(row, caller, actorOf(caller)))
  }

  /** Throws `NOT_FOUND`. */
  async removeDevice(caller: Caller, id: string): Promise<void> {
    const { devices } = this.#deps
    const device = await this.#require(caller, id)
    if (!(await devices.remove(device, caller.email, actorOf(caller)))) throw notFound()
  }

  /** Pushes a message at once, also in quiet hours. A device that is gone is removed. Throws `NOT_FOUND`. */
  async testDevice(caller: Caller, id: string, left: AbortSignal): Promise<PushTest> {
    const { devices, pushes, clock } = this.#deps
    const device = await this.#require(caller, id)
    await devices.recordTest(device, caller.email, actorOf(caller))
    const sent = await pushes.send(device, TEST_PUSH, left)
    if (sent.outcome === 'failed') return { error: sent.error }
    if (sent.outcome === 'sent') {
      await devices.sent(device.id, new Date(clock.now()))
      return { error: null }
    }
    await devices.remove(device, caller.email, PLATFORM, 'expired')
    return { error: 'The browser has ended its subscription. Add the device again.' }
  }

  /** Answers the question of a message to the caller. Throws `NOT_FOUND`, and what {@link DialogService.answer} throws. */
  async answer(caller: Caller, id: string, answer: AnswerDialog): Promise<Dialog> {
    const { notices, dialogs } = this.#deps
    const notice = isUuid(id) ? await notices.find(caller.userId, id) : null
    if (!notice || notice.dialogId === null) throw notFound()
    return dialogs.answer(caller, notice.dialogId, answer, notice.deviceId === null ? 'mail' : 'push')
  }

  async #require({ userId }: Caller, id: string): Promise<DeviceRow> {
    const device = isUuid(id) ? await this.#deps.devices.find(userId, id) : null
    if (!device) throw notFound()
    return device
  }
}

/** Only sign-ins may do this. */
const signInOf = ({ via }: Caller): string => {
  if (via.kind !== 'sign_in') throw new Error('a device belongs to a sign-in')
  return via.signInId
}

const isOnCurve = (point: string): boolean => {
  try {
    ECDH.convertKey(point, 'prime256v1', 'base64url')
    return true
  } catch {
    return false
  }
}

const present = ({ via }: Caller, { id, name, signInId, createdAt, sentAt }: DeviceRow): PushDevice => ({
  id,
  name,
  current: via.kind === 'sign_in' && via.signInId === signInId,
  createdAt: createdAt.toISOString(),
  sentAt: sentAt?.toISOString() ?? null,
})
