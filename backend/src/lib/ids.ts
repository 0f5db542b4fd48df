/** Identifiers of rows: UUIDs that sort by the time of their creation. */
import { randomBytes } from 'node:crypto'
import type { Clock } from './time/clock.ts'

/** Returns a new identifier at each call. */
export type NewId = () => string

/** Largest value of the 12 bits after the time. */
const MAX_COUNT = 0xfff
/** Where the count begins in a new millisecond: in the lower half, so that at least 2,000 more fit. */
const MAX_FIRST_COUNT = 0x7ff

/**
 * UUIDs of version 7 (RFC 9562, 5.7): 48 bits of time in milliseconds, 12 bits that count within the millisecond (6.2,
 * method 1), then 62 random bits. A list that is sorted by id is sorted by age, so lists page by primary key and
 * inserts do not scatter over the index. If one millisecond has too many, they borrow from the next.
 */
export function createIds(clock: Clock): NewId {
  let [lastNow, time, count] = [-1, -1, 0]
  return () => {
    const bytes = randomBytes(16)
    const now = clock.now()
    // If the clock was set back, ids follow it: they tell when something happened.
    if (now > time || now < lastNow) [time, count] = [now, bytes.readUInt16BE(6) & MAX_FIRST_COUNT]
    else if (count < MAX_COUNT) count += 1
    else [time, count] = [time + 1, 0]
    lastNow = now
    bytes.writeUIntBE(time, 0, 6)
    bytes.writeUInt16BE(0x7000 | count, 6)
    bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
    return format(bytes)
  }
}

/** An id that is not above any id of this millisecond or later, and above every earlier one. */
export function lowestIdAt(milliseconds: number): string {
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(Math.max(0, milliseconds), 0, 6)
  return format(bytes)
}

function format(bytes: Buffer): string {
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Whether text from a client is a UUID in our spelling. The database answers anything else with an error. */
export function isUuid(text: string): boolean {
  return text.length === 36 && UUID.test(text)
}
