/** Fields of the SSH protocol: bytes behind their length (RFC 4251, 5, `string`). */

/** Bytes of the length before each field. */
const LENGTH_BYTES = 4

/** All fields; null if the bytes do not end with one. */
export const fieldsOf = (bytes: Buffer): Buffer[] | null => {
  const fields: Buffer[] = []
  for (let at = 0; at < bytes.length;) {
    if (at + LENGTH_BYTES > bytes.length) return null
    const end = at + LENGTH_BYTES + bytes.readUInt32BE(at)
    if (end > bytes.length) return null
    fields.push(bytes.subarray(at + LENGTH_BYTES, end))
    at = end
  }
  return fields
}

/** The bytes of these fields. */
export const inFields = (...fields: readonly (Uint8Array | string)[]): Buffer =>
  Buffer.concat(
    fields.flatMap((field) => {
      const value = Buffer.from(field)
      const length = Buffer.alloc(LENGTH_BYTES)
      length.writeUInt32BE(value.length)
      return [length, value]
    }),
  )
