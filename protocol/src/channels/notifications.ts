/** What a user is told while they look elsewhere, and when they are left alone. */
import Type, { type Static } from 'typebox'
import { Nullable } from '../common.ts'

const TimeOfDay = Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$' })

/** A part of each day in which a user gets no notification. If the end is before the beginning, it goes over midnight. */
export const QuietHours = Type.Object(
  {
    from: TimeOfDay,
    to: TimeOfDay,
    /** An IANA name, such as `Europe/Stockholm`. */
    timezone: Type.String({ pattern: '^[A-Za-z0-9_+/-]{1,64}$' }),
  },
  { additionalProperties: false },
)
export type QuietHours = Static<typeof QuietHours>

/** Only what waits for the user. The switch for those of an open page is `notify` of the terminal's preferences. */
export const NotificationPreferences = Type.Object(
  {
    /** A CLI asks whether it may use a tool. */
    approvals: Type.Boolean(),
    /** Any other question of an agent or of a program. */
    questions: Type.Boolean(),
    /** A program in a terminal waits, or has a message. */
    terminals: Type.Boolean(),
    /** Whether the user's devices get pushes of questions. */
    push: Type.Boolean(),
    /** Whether the user gets mail of questions, if the server can send it. */
    mail: Type.Boolean(),
    quietHours: Nullable(QuietHours),
  },
  { additionalProperties: false },
)
export type NotificationPreferences = Static<typeof NotificationPreferences>
/** What a notification is about. */
export type NotificationKind = Exclude<keyof NotificationPreferences, 'push' | 'mail' | 'quietHours'>

export const DEFAULT_NOTIFICATIONS: NotificationPreferences = {
  approvals: true,
  questions: true,
  terminals: true,
  // A user adds each device themselves.
  push: true,
  mail: false,
  quietHours: null,
}

/** Whether a moment, in milliseconds since 1970, is in the quiet hours. An unknown time zone has none. */
export function isQuiet(quiet: QuietHours | null, at: number): boolean {
  const now = quiet === null ? null : timeOfDay(quiet.timezone, at)
  if (quiet === null || now === null) return false
  const { from, to } = quiet
  return from <= to ? from <= now && now < to : now >= from || now < to
}

/** As `23:59`, so that times compare as texts. */
function timeOfDay(timeZone: string, at: number): string | null {
  try {
    return new Intl.DateTimeFormat('en', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(at)
  } catch {
    return null
  }
}
