/** What Discord's errors mean. Pure. */
import type { DiscordAPIError } from '@discordjs/rest'
import { ChatError, type ChatFault, type ChatRefusal } from '../chat/port.ts'

/** Numbers of Discord's errors that the code looks at. */
export const [UNKNOWN_CHANNEL, UNKNOWN_MESSAGE, THREAD_EXISTS] = [10_003, 10_008, 160_004]
/** Messages of an archived thread cannot be changed. A new one opens it again. */
export const THREAD_ARCHIVED = 50_083
/** The bot may not open it again. */
export const [MISSING_PERMISSIONS, THREAD_LOCKED] = [50_013, 160_005]
const FAULTS = new Map<number, ChatFault>([
  [UNKNOWN_CHANNEL, 'gone'],
  [UNKNOWN_MESSAGE, 'gone'],
  // Missing access; missing permissions; the thread is locked.
  [50_001, 'forbidden'],
  [MISSING_PERMISSIONS, 'forbidden'],
  [THREAD_LOCKED, 'forbidden'],
  // A field of the request is wrong.
  [50_035, 'invalid'],
])
/** The token is not valid. */
export const UNAUTHORIZED = 401
/** With these codes, the gateway refuses the bot itself, so the library does not connect again. */
export const REFUSALS = new Map<number, ChatRefusal>([
  [4004, 'token'],
  [4013, 'intents'],
  [4014, 'intents'],
])
export const REFUSED: Readonly<Record<ChatRefusal, string>> = {
  token: 'Discord refuses the token of the bot: set SLIPWAY_DISCORD_TOKEN to a valid one, and restart the server',
  intents:
    'Discord refuses the intents of the bot: turn on its Message Content Intent in the developer portal. The server tries again every few minutes',
}
/** Longest text of Discord that is logged. */
const REASON_MAX = 300

/** An error of the library as the port's. Its text never has a token: the library puts it in a header. */
export const toChatError = (error: unknown): ChatError => {
  if (error instanceof ChatError) return error
  const { code, status, message } = error as Partial<Pick<DiscordAPIError, 'code' | 'status' | 'message'>>
  const number = typeof code === 'number' ? code : null
  const known = number === null ? undefined : FAULTS.get(number)
  const fault = known ?? (status !== undefined && status >= 400 && status < 500 ? 'invalid' : 'unreachable')
  return new ChatError(fault, number, (message ?? 'no reason').slice(0, REASON_MAX))
}
