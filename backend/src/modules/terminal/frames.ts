/** Parses and prints the text frames of the terminal's protocol. */
import { AuthFrame, COLS_MAX, PROTOCOL_VERSION, ROWS_MAX, type ServerFrame, TERMINAL_MESSAGE } from '@slipway/protocol'
import Value from 'typebox/value'

/** The first message is invalid. The error's message is one of the protocol's texts. */
export class AuthFrameError extends Error {
  override readonly name = 'AuthFrameError'
}

/** The first message has an unknown protocol version. */
export class VersionError extends Error {
  override readonly name = 'VersionError'
}

/** Throws {@link AuthFrameError} or {@link VersionError}. */
export const parseAuth = (text: string): AuthFrame => {
  let frame: unknown
  try {
    frame = JSON.parse(text)
  } catch (error) {
    throw new AuthFrameError(TERMINAL_MESSAGE.invalidJson, { cause: error })
  }
  const { type, token, v } = (frame ?? {}) as Record<string, unknown>
  if (type !== 'auth') throw new AuthFrameError(TERMINAL_MESSAGE.expectedAuth)
  if (typeof token !== 'string' || token === '') throw new AuthFrameError(TERMINAL_MESSAGE.tokenRequired)
  if (v !== undefined && v !== 1 && v !== PROTOCOL_VERSION) throw new VersionError('Unknown protocol version')
  if (v === PROTOCOL_VERSION && Value.Check(AuthFrame, frame)) return frame
  return v === PROTOCOL_VERSION ? { type: 'auth', token, v } : { type: 'auth', token }
}

export type Control =
  | { readonly type: 'resize'; readonly cols: number; readonly rows: number }
  | { readonly type: 'ack'; readonly offset: number }
  | { readonly type: 'ask_control'; readonly asks: boolean }
  | { readonly type: 'give_control' | 'decline_control'; readonly to: string }
  /** An invalid control message. It has no effect, and does not count as input. */
  | { readonly type: 'ignored' }

/** The size if a frame leaves it out. */
const DEFAULT_COLS = 80
const DEFAULT_ROWS = 24

const isSize = (value: unknown, min: number, max: number): value is number =>
  Number.isInteger(value) && (value as number) >= min && (value as number) <= max

/** Null: the text is not a control message, so it is input. */
export const parseControl = (text: string, version: number): Control | null => {
  if (!text.startsWith('{')) return null
  let frame: Record<string, unknown>
  try {
    frame = JSON.parse(text) as Record<string, unknown>
  } catch {
    return null
  }
  if (frame.type === 'resize') {
    const { cols = DEFAULT_COLS, rows = DEFAULT_ROWS } = frame
    if (!isSize(cols, 2, COLS_MAX) || !isSize(rows, 1, ROWS_MAX)) return { type: 'ignored' }
    return { type: 'resize', cols, rows }
  }
  if (version < PROTOCOL_VERSION) return null
  switch (frame.type) {
    case 'ack':
      return Number.isSafeInteger(frame.offset) ? { type: 'ack', offset: frame.offset as number } : { type: 'ignored' }
    case 'ask_control':
      return { type: 'ask_control', asks: frame.asks === true }
    case 'give_control':
    case 'decline_control':
      return typeof frame.to === 'string' ? { type: frame.type, to: frame.to } : { type: 'ignored' }
    default:
      return null
  }
}

export const print = (frame: ServerFrame): string => JSON.stringify(frame)
