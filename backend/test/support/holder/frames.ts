/** The holder's output as the engine sends it. */

/** A piece of an exec's output as the engine frames it: stream, zeros, length. */
export const piece = (bytes: Buffer, stream = 1): Buffer => {
  const header = Buffer.alloc(8)
  header[0] = stream
  header.writeUInt32BE(bytes.length, 4)
  return Buffer.concat([header, bytes])
}

export const frame = (type: string, payload: Buffer): Buffer => {
  const header = Buffer.alloc(4)
  header.write(type, 'latin1')
  header.writeUIntBE(payload.length, 1, 3)
  return Buffer.concat([header, payload])
}

export const offset = (value: number): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes
}

export const errorOutput = (at: number, text: string): Buffer =>
  frame('O', Buffer.concat([offset(at), Buffer.from(text)]))

export const output = (at: number, text: string): Buffer => frame('o', Buffer.concat([offset(at), Buffer.from(text)]))
