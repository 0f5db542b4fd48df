import { describe, expect, it } from 'vitest'
import { LOG_LINE_BYTES } from '../../port.ts'
import { LogFrames } from './log-frames.ts'

const AT = '2030-01-01T00:00:00.123456789Z'
const frame = (stream: 1 | 2, text: string | Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(`${AT} `), Buffer.from(text)])
  const header = Buffer.alloc(8)
  header[0] = stream
  header.writeUInt32BE(body.length, 4)
  return Buffer.concat([header, body])
}

describe('the engine’s log stream', () => {
  it('is the same in pieces of any size', () => {
    const whole = Buffer.concat([frame(1, 'out\n'), frame(2, 'err ä€😀\r\n'), frame(1, '\n'), frame(1, 'no end')])
    const expected = [
      { at: AT, stream: 'stdout', text: 'out' },
      { at: AT, stream: 'stderr', text: 'err ä€😀' },
      { at: AT, stream: 'stdout', text: '' },
      { at: AT, stream: 'stdout', text: 'no end' },
    ]
    for (let size = 1; size <= whole.length; size++) {
      const frames = new LogFrames()
      const lines = []
      for (let at = 0; at < whole.length; at += size) lines.push(...frames.push(whole.subarray(at, at + size)))
      expect(lines, `in pieces of ${size}`).toEqual(expected)
    }
  })

  it('is cut where a line is too long, and goes on after it', () => {
    const frames = new LogFrames()
    const lines = frames.push(Buffer.concat([frame(1, Buffer.alloc(3_000_000, 'x')), frame(1, 'next\n')]))
    expect(lines.map(({ text }) => text.length)).toEqual([LOG_LINE_BYTES, 4])
    expect(lines[1]?.text).toBe('next')
  })

  it('gives what it can of bytes that are no text', () => {
    const [line] = new LogFrames().push(frame(1, Buffer.from([0x1b, 0x5b, 0x33, 0x31, 0x6d, 0xff, 0xfe, 0x00, 0x0a])))
    expect(line?.text).toBe('\u001b[31m\uFFFD\uFFFD\u0000')
  })
})
