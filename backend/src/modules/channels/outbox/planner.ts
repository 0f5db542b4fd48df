/** Puts messages into the outbox for each question, and each terminal, that has waited for a moment. */
import { noticeKindOf, type NotificationKind } from '@slipway/protocol'
import type { Clock } from '../../../lib/time/clock.ts'
import type { NewId } from '../../../lib/ids.ts'
import type { PreferenceService } from '../../identity/preferences/service.ts'
import { PENDING_MAX, SETTLE_MS } from '../bounds.ts'
import type { DeviceRepository } from '../push/repository.ts'
import type { WaitingTerminal, WaitingTerminals } from '../terminals.ts'
import type { NewNotice, NoticeRepository } from './repository.ts'

interface Deps {
  readonly notices: Pick<NoticeRepository, 'untold' | 'store' | 'storeOfTerminal' | 'countPending'>
  readonly devices: Pick<DeviceRepository, 'of'>
  readonly terminals: WaitingTerminals
  readonly preferences: Pick<PreferenceService, 'get'>
  /** Whether mail can be sent. */
  readonly mail: boolean
  readonly newId: NewId
  readonly clock: Clock
}

/** A wait of a terminal. */
interface Wait {
  readonly times: number
  /** When it was seen first, in milliseconds since 1970. */
  since: number
  isTold: boolean
}

/** What a message is about. */
type About = Pick<NewNotice, 'dialogId' | 'sessionId'>

export class Planner {
  readonly #deps: Deps
  /** By session: as many as there are terminals that wait. A restart of the server forgets what terminals wait for. */
  readonly #waits = new Map<string, Wait>()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** One round. */
  async plan(): Promise<void> {
    const { notices, terminals, clock } = this.#deps
    const now = clock.now()
    for (const { dialog, userIds } of await notices.untold(new Date(now - SETTLE_MS), new Date(now))) {
      const about = { dialogId: dialog.id, sessionId: null }
      const wanted: NewNotice[] = []
      for (const userId of userIds) wanted.push(...(await this.#of(userId, noticeKindOf(dialog), about)))
      await notices.store(dialog.id, wanted, new Date(now))
    }
    const needing = terminals.needing()
    for (const sessionId of this.#waits.keys()) if (!needing.has(sessionId)) this.#waits.delete(sessionId)
    for (const [sessionId, terminal] of needing) await this.#planTerminal(sessionId, terminal, now)
  }

  async #planTerminal(sessionId: string, { userId, times }: WaitingTerminal, now: number): Promise<void> {
    const before = this.#waits.get(sessionId)
    const wait = before?.times === times ? before : { times, since: now, isTold: false }
    // The clock may have been set back.
    wait.since = Math.min(wait.since, now)
    this.#waits.set(sessionId, wait)
    if (wait.isTold || wait.since > now - SETTLE_MS) return
    const wanted = await this.#of(userId, 'terminals', { dialogId: null, sessionId })
    await this.#deps.notices.storeOfTerminal(sessionId, wanted, new Date(now))
    wait.isTold = true
  }

  async #of(userId: string, kind: NotificationKind, about: About): Promise<NewNotice[]> {
    const { notices, devices, preferences, mail, newId } = this.#deps
    const { notifications } = await preferences.get({ userId })
    if (!notifications[kind]) return []
    if ((await notices.countPending(userId)) >= PENDING_MAX) return []
    const found = notifications.push ? await devices.of(userId) : []
    const deviceIds = [...found.map(({ id }) => id), ...(notifications.mail && mail ? [null] : [])]
    return deviceIds.map((deviceId) => ({ id: newId(), userId, deviceId, ...about }))
  }
}
