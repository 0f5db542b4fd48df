/** Names that are derived from those of a chat service. Pure. */
import { createHash } from 'node:crypto'

/** The id of what a message or a command of a service becomes: the same each time it is read (UUID, version 8). */
export const idFrom = (service: string, remoteId: string): string => {
  const bytes = createHash('sha256').update(`${service} ${remoteId}`).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** The key of a post: the same each time it is tried. */
export const keyOf = (...parts: readonly (string | number)[]): string =>
  createHash('sha256').update(parts.join(' ')).digest('base64url').slice(0, 24)
