/** Identifiers of rows: UUIDs whose order is the order of their creation. */
import { randomBytes } from 'node:crypto'
import type { Clock } from './clock.ts'

/** Makes one new identifier at each call. */
export type NewId = () => string

/**
 * UUIDs of version 7 (RFC 9562, 5.7): 48 bits of time in milliseconds, then 74 random bits. Sorted by id, a list is
 * sorted by age to the millisecond, so that lists page by primary key and inserts do not scatter over the index.
 */
export function createIds(clock: Clock): NewId {
  return () => {
    const bytes = randomBytes(16)
    bytes.writeUIntBE(clock.now(), 0, 6)
    bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6)
    bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
    const hex = bytes.toString('hex')
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Whether text from outside is a UUID as we write them; asking the database for anything else is an error there. */
export function isUuid(text: string): boolean {
  return text.length === 36 && UUID.test(text)
}
