import type { ServerFrame } from '@slipway/protocol'

/** Size of a terminal, in characters. */
export interface Size {
  cols: number
  rows: number
}

const KNOWN = new Set<string>([
  'auth_success',
  'error',
  'snapshot',
  'size',
  'taken',
  'people',
  'recorded',
] satisfies ServerFrame['type'][])

/** Parses a text frame of the server. Null for an unknown frame, which the client skips. */
export function parseServerFrame(text: string): ServerFrame | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  if (typeof value !== 'object' || value === null || !('type' in value)) return null
  return typeof value.type === 'string' && KNOWN.has(value.type) ? (value as ServerFrame) : null
}

const encoder = new TextEncoder()

/** Bytes of xterm's `onData`: text, which is sent as UTF-8. */
export const bytesOfText = (text: string): Uint8Array => encoder.encode(text)

/** Bytes of xterm's `onBinary`: one byte in each character, as in X10 mouse reports beyond column 95. */
export function bytesOfBinary(data: string): Uint8Array {
  const bytes = new Uint8Array(data.length)
  for (let i = 0; i < data.length; i += 1) bytes[i] = data.charCodeAt(i) & 0xff
  return bytes
}
