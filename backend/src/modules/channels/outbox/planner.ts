/** Puts messages into the outbox for each question that has been open for a moment. */
import { noticeKindOf } from '@slipway/protocol'
import type { Clock } from '../../../lib/clock.ts'
import type { NewId } from '../../../lib/ids.ts'
import type { PreferenceService } from '../../identity/preferences/service.ts'
import { PENDING_MAX, SETTLE_MS } from '../bounds.ts'
import type { DeviceRepository } from '../push/repository.ts'
import type { NewNotice, NoticeRepository, Untold } from './repository.ts'

interface Deps {
  readonly notices: Pick<NoticeRepository, 'untold' | 'store' | 'countPending'>
  readonly devices: Pick<DeviceRepository, 'of'>
  readonly preferences: Pick<PreferenceService, 'get'>
  /** Whether mail can be sent. */
  readonly mail: boolean
  readonly newId: NewId
  readonly clock: Clock
}

export class Planner {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** One round. */
  async plan(): Promise<void> {
    const { notices, clock } = this.#deps
    const now = clock.now()
    for (const untold of await notices.untold(new Date(now - SETTLE_MS))) {
      const wanted: NewNotice[] = []
      for (const userId of untold.userIds) wanted.push(...(await this.#of(userId, untold)))
      await notices.store(untold.dialog.id, wanted, new Date(now))
    }
  }

  async #of(userId: string, { dialog }: Untold): Promise<NewNotice[]> {
    const { notices, devices, preferences, mail, newId } = this.#deps
    const { notifications } = await preferences.get({ userId })
    if (!notifications[noticeKindOf(dialog)]) return []
    if ((await notices.countPending(userId)) >= PENDING_MAX) return []
    const found = notifications.push ? await devices.of(userId) : []
    const deviceIds = [...found.map(({ id }) => id), ...(notifications.mail && mail ? [null] : [])]
    return deviceIds.map((deviceId) => ({ id: newId(), userId, deviceId, dialogId: dialog.id }))
  }
}
