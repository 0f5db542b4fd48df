/** Sends what is due, one message for all that waits of a target, and tries again where that fails. */
import { isQuiet, noticeKindOf, type NotificationKind, type NotificationPreferences } from '@slipway/protocol'
import type { Clock } from '../../../lib/time/clock.ts'
import { AppError } from '../../../lib/errors.ts'
import type { Log } from '../../../lib/log.ts'
import { PLATFORM } from '../../audit/actor.ts'
import type { DialogRow } from '../../dialogs/repository.ts'
import type { DialogService } from '../../dialogs/service.ts'
import { toDialog } from '../../dialogs/view.ts'
import type { Authenticator } from '../../identity/authenticate.ts'
import type { Caller } from '../../identity/caller.ts'
import type { PreferenceService } from '../../identity/preferences/service.ts'
import { AT_ONCE, AT_ONCE_PER_USER, ATTEMPTS_MAX, HOLD_MS, MAIL_EVERY_MS, PAUSES_MS, PUSH_EVERY_MS } from '../bounds.ts'
import type { Looking } from '../looking.ts'
import { MailError, type MailSender } from '../mail/sender.ts'
import { mailOf, pushOf, type Told } from '../message.ts'
import type { Channel, ChannelMetrics } from '../metrics.ts'
import type { DeviceRepository, DeviceRow, Gone } from '../push/repository.ts'
import type { PushSender, Sent } from '../push/sender.ts'
import type { WaitingTerminals } from '../terminals.ts'
import type { NoticeRepository, NoticeRow, Target } from './repository.ts'

interface Deps {
  readonly notices: NoticeRepository
  readonly devices: Pick<DeviceRepository, 'find' | 'remove' | 'sent'>
  readonly pushes: Pick<PushSender, 'send'>
  readonly mails: Pick<MailSender, 'send'>
  readonly looking: Pick<Looking, 'looksAt'>
  readonly preferences: Pick<PreferenceService, 'get'>
  readonly authenticator: Pick<Authenticator, 'again'>
  readonly dialogs: Pick<DialogService, 'require'>
  readonly terminals: WaitingTerminals
  /** The address of the server for users. */
  readonly baseUrl: () => string
  /** Called when there is room for the next message. */
  readonly freed: () => void
  readonly metrics: ChannelMetrics
  readonly clock: Clock
  readonly log: Log
}

/** A target whose user may still be told. */
interface Open {
  readonly caller: Caller
  /** Null: mail. */
  readonly device: DeviceRow | null
}

/** A message that may be sent, with what it tells. */
interface Due extends NoticeRow {
  readonly told: Told
}

export class NoticeDeliverer {
  readonly #deps: Deps
  /** The targets that something is sent to now. */
  readonly #busy = new Map<string, Target>()
  readonly #sending = new Set<Promise<void>>()
  readonly #stopping = new AbortController()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Begins what is due, as far as there is room. */
  async look(): Promise<void> {
    const { notices, clock } = this.#deps
    for (const target of await notices.due(new Date(clock.now()))) {
      if (this.#stopping.signal.aborted) return
      if (this.#hasRoom(target)) this.#begin(target)
    }
  }

  /** Gives up what is being pushed, which is tried again later, and waits for the mail that is being sent. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.all(this.#sending)
  }

  #hasRoom(target: Target): boolean {
    if (this.#busy.size >= AT_ONCE || this.#busy.has(keyOf(target))) return false
    return [...this.#busy.values()].filter(({ userId }) => userId === target.userId).length < AT_ONCE_PER_USER
  }

  #begin(target: Target): void {
    const { log, freed } = this.#deps
    this.#busy.set(keyOf(target), target)
    const sending = this.#deliver(target)
      .catch((error: unknown) => log.error({ ...target, err: error }, 'a message to a user failed'))
      .finally(() => {
        this.#busy.delete(keyOf(target))
        this.#sending.delete(sending)
        freed()
      })
    this.#sending.add(sending)
  }

  async #deliver(target: Target): Promise<void> {
    const { notices, preferences, clock } = this.#deps
    const now = new Date(clock.now())
    const rows = await notices.dueOf(target, now)
    const open = await this.#open(target)
    if (!open) return notices.drop(idsOf(rows))
    const { notifications } = await preferences.get(target)
    const due = await this.#stillDue(rows, target, open, notifications, now)
    const [newest, ...others] = due
    if (!newest) return
    const ids = idsOf(due)
    const every = open.device ? PUSH_EVERY_MS : MAIL_EVERY_MS
    const earliest = ((await notices.lastSentAt(target, now))?.getTime() ?? 0) + every
    if (earliest > now.getTime()) return notices.postpone(ids, new Date(earliest))
    const attempts = Math.max(...due.map((row) => row.attempts))
    const pause = PAUSES_MS[attempts] ?? HOLD_MS
    if (!(await notices.claim(ids, now, new Date(now.getTime() + pause)))) return
    const earlier = await this.#toldBefore(due, target, open, notifications, now)
    const sent = await this.#send(open, [newest.told, ...others.map(({ told }) => told), ...earlier])
    if (this.#stopping.signal.aborted && sent.outcome === 'failed') return
    await this.#settle(open, due, sent, new Date(clock.now()))
  }

  /** Null if the user may not be told any more. A device of a sign-in that has ended is removed. */
  async #open({ userId, deviceId }: Target): Promise<Open | null> {
    const { authenticator, devices } = this.#deps
    const caller = await authenticator.again(userId, { kind: 'user', id: userId })
    if (!caller) return null
    if (deviceId === null) return { caller, device: null }
    const device = await devices.find(userId, deviceId)
    if (!device) return null
    if (await authenticator.again(userId, { kind: 'sign_in', id: device.signInId })) return { caller, device }
    await this.#forget(device, caller, 'signed_out')
    return null
  }

  /** Drops notices of what does not wait any more, and puts off those that must not disturb their user now. */
  async #stillDue(
    rows: readonly NoticeRow[],
    { userId, deviceId }: Target,
    { caller }: Open,
    wants: NotificationPreferences,
    now: Date,
  ): Promise<Due[]> {
    const { notices, looking } = this.#deps
    const isOn = deviceId === null ? wants.mail : wants.push
    const left: Due[] = []
    const gone: string[] = []
    for (const row of rows) {
      const isWanted = isOn && wants[kindOf(row)] && row.attempts < ATTEMPTS_MAX
      const told = isWanted ? await this.#told(caller, row, now) : null
      if (told) left.push({ ...row, told })
      else gone.push(row.id)
    }
    await notices.drop(gone)
    const isHeld = ({ dialogId, sessionId }: NoticeRow): boolean =>
      isQuiet(wants.quietHours, now.getTime()) || looking.looksAt(userId, dialogId ?? sessionId ?? '')
    const held = left.filter(isHeld)
    await notices.postpone(idsOf(held), new Date(now.getTime() + HOLD_MS))
    return left.filter((row) => !held.includes(row))
  }

  /**
   * What earlier pushes have told the device and what still waits. A push replaces the one before it, so it tells of
   * these too. Mails do not replace each other.
   */
  async #toldBefore(
    due: readonly Due[],
    target: Target,
    { caller, device }: Open,
    wants: NotificationPreferences,
    now: Date,
  ): Promise<Told[]> {
    if (!device) return []
    const { notices, terminals } = this.#deps
    const isDue = new Set(due.map(({ sessionId }) => sessionId))
    const mine = [...terminals.needing()].filter(([, { userId }]) => userId === target.userId)
    const sessionIds = mine.map(([sessionId]) => sessionId).filter((sessionId) => !isDue.has(sessionId))
    const left: Told[] = []
    for (const row of await notices.sentOf(target, sessionIds)) {
      const told = wants[kindOf(row)] ? await this.#told(caller, row, now) : null
      if (told) left.push(told)
    }
    return left
  }

  /** What a message tells; null if that does not wait for the user any more. */
  async #told(caller: Caller, { id: noticeId, dialog, sessionId }: NoticeRow, now: Date): Promise<Told | null> {
    if (dialog) {
      const isOpen = isWaiting(dialog, now) && (await this.#mayAnswer(caller, dialog.id))
      return isOpen ? { noticeId, dialog: toDialog(dialog) } : null
    }
    const terminal = sessionId === null ? undefined : this.#deps.terminals.needing().get(sessionId)
    return terminal?.userId === caller.userId ? { noticeId, terminal } : null
  }

  async #mayAnswer(caller: Caller, dialogId: string): Promise<boolean> {
    try {
      await this.#deps.dialogs.require(caller, dialogId, 'dialog.answer')
      return true
    } catch (error) {
      if (error instanceof AppError) return false
      throw error
    }
  }

  async #send({ caller, device }: Open, told: readonly [Told, ...Told[]]): Promise<Sent> {
    const { pushes, mails, baseUrl } = this.#deps
    if (device) return pushes.send(device, pushOf(told), this.#stopping.signal)
    try {
      await mails.send(caller.email, mailOf(told, baseUrl()))
      return { outcome: 'sent' }
    } catch (error) {
      if (error instanceof MailError) return { outcome: 'failed', error: error.message }
      throw error
    }
  }

  async #settle({ caller, device }: Open, tried: readonly NoticeRow[], sent: Sent, at: Date): Promise<void> {
    const { notices, devices, metrics, log } = this.#deps
    const channel: Channel = device ? 'push' : 'mail'
    if (sent.outcome === 'gone' && device) await this.#forget(device, caller, 'expired')
    if (sent.outcome === 'sent') {
      await notices.sent(idsOf(tried), at)
      if (device) await devices.sent(device.id, at)
    }
    if (sent.outcome !== 'failed') return metrics.sent(channel, sent.outcome)
    const over = tried.filter(({ attempts }) => attempts + 1 >= ATTEMPTS_MAX)
    const isLast = over.length === tried.length
    log.warn({ channel, deviceId: device?.id, error: sent.error, isLast }, 'a message to a user could not be sent')
    metrics.sent(channel, isLast ? 'failed' : 'retried')
    await notices.drop(idsOf(over))
  }

  /** Its messages go with it. */
  async #forget(device: DeviceRow, { email }: Caller, because: Gone): Promise<void> {
    await this.#deps.devices.remove(device, email, PLATFORM, because)
  }
}

const idsOf = (rows: readonly NoticeRow[]): string[] => rows.map(({ id }) => id)
const keyOf = ({ userId, deviceId }: Target): string => `${userId} ${deviceId ?? 'mail'}`

const kindOf = ({ dialog }: NoticeRow): NotificationKind => (dialog ? noticeKindOf(dialog) : 'terminals')

const isWaiting = ({ state, expiresAt }: DialogRow, now: Date): boolean =>
  state === 'open' && (expiresAt === null || expiresAt > now)
