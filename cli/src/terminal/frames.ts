/** The server's text frames. What this client does not know, it ignores. */
import { isObject, objectIn } from '../ui/lines.ts'

/** How the terminal ended, or why it did not begin. */
export interface EndFrame {
  readonly type: 'error'
  readonly message: string
  readonly reason: string | null
  readonly exitCode: number | null
}

export type Frame =
  | EndFrame
  | {
      readonly type: 'auth_success'
      readonly sessionId: string
      readonly offset: number
      readonly replay: number
      readonly resumed: boolean
      /** Infinity: the server does not limit it. */
      readonly inputWindow: number
    }
  | { readonly type: 'snapshot'; readonly bytes: number; readonly offset: number; readonly replay: number }
  | { readonly type: 'taken'; readonly bytes: number }

/** A count of bytes. */
const count = (value: unknown, otherwise = 0): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : otherwise

export const frameIn = (text: string): Frame | null => {
  const value = objectIn(text)
  if (!isObject(value)) return null
  switch (value.type) {
    case 'error':
      return {
        type: 'error',
        message: typeof value.message === 'string' ? value.message : 'The terminal has ended.',
        reason: typeof value.reason === 'string' ? value.reason : null,
        exitCode: typeof value.exitCode === 'number' ? value.exitCode : null,
      }
    case 'auth_success':
      return {
        type: 'auth_success',
        sessionId: typeof value.sessionId === 'string' ? value.sessionId : '',
        offset: count(value.offset),
        replay: count(value.replay),
        resumed: value.resumed === true,
        inputWindow: count(value.inputWindow, Infinity),
      }
    case 'snapshot':
      return { type: 'snapshot', bytes: count(value.bytes), offset: count(value.offset), replay: count(value.replay) }
    case 'taken':
      return { type: 'taken', bytes: count(value.bytes) }
    default:
      return null
  }
}
