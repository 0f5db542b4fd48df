import { describe, expect, it } from 'vitest'
import { Demultiplexer } from './demultiplexer.ts'

const piece = (output: 1 | 2, text: string): Buffer => {
  const header = Buffer.alloc(8)
  header[0] = output
  header.writeUInt32BE(Buffer.byteLength(text), 4)
  return Buffer.concat([header, Buffer.from(text)])
}
const stream = Buffer.concat([piece(1, 'one '), piece(2, 'wrong'), piece(1, ''), piece(1, 'two')])

const read = (chunks: readonly Buffer[]) => {
  const said = { stdout: '', stderr: '' }
  const demultiplexer = new Demultiplexer((from, chunk) => (said[from] += Buffer.from(chunk).toString()))
  for (const chunk of chunks) demultiplexer.take(chunk)
  return said
}

describe('taking the two outputs apart', () => {
  it('does so wherever the stream is cut', () => {
    for (let cut = 0; cut <= stream.length; cut++)
      expect(read([stream.subarray(0, cut), stream.subarray(cut)])).toEqual({ stdout: 'one two', stderr: 'wrong' })
    expect(read([...stream].map((byte) => Buffer.from([byte])))).toEqual({ stdout: 'one two', stderr: 'wrong' })
  })

  it('hands on what has come of a piece before the rest of it', () => {
    expect(read([piece(2, 'half').subarray(0, 10)])).toEqual({ stdout: '', stderr: 'ha' })
  })
})
