import { describe, expect, it } from 'vitest'
import { errorOutput, frame, offset, output, piece } from '../../../../test/support/holder/frames.ts'
import {
  ackFrame,
  FrameError,
  FrameReader,
  inputEndFrame,
  inputFrame,
  type Notice,
  signalFrame,
  sizeFrame,
} from './frames.ts'

const read = (...chunks: Buffer[]) => {
  const seen: (Notice | { type: 'output' | 'errors'; at: number; text: string })[] = []
  const reader = new FrameReader({
    output: (bytes, from, at) => {
      const text = bytes.toString('latin1')
      seen.push(from === 'stdout' ? { type: 'output', at, text } : { type: 'errors', at, text })
    },
    notice: (notice) => seen.push(notice),
  })
  for (const chunk of chunks) reader.push(chunk)
  return seen
}

const whole = Buffer.concat([
  piece(frame('h', Buffer.from('version=1\npid=42\n'))),
  piece(Buffer.from('complaint'), 2),
  piece(Buffer.concat([output(0, 'hello'), output(5, ' world')])),
  piece(errorOutput(70, 'oh')),
  piece(frame('l', offset(11))),
  piece(frame('L', offset(72))),
  piece(frame('t', offset(300))),
  piece(Buffer.concat([frame('x', Buffer.from([0, 0, 7, 0])), frame('g', Buffer.alloc(0))])),
])

describe('frames of a holder', () => {
  it('are read in order, and the other stream is left out', () => {
    expect(read(whole)).toEqual([
      { type: 'hello', fields: new Map([['version', '1'], ['pid', '42']]) }, // oxfmt-ignore
      { type: 'output', at: 0, text: 'hello' },
      { type: 'output', at: 5, text: ' world' },
      { type: 'errors', at: 70, text: 'oh' },
      { type: 'lost', of: 'stdout', offset: 11 },
      { type: 'lost', of: 'stderr', offset: 72 },
      { type: 'taken', bytes: 300 },
      { type: 'exit', status: 0x700 },
      { type: 'gone' },
    ])
  })

  it('are the same however they are cut', () => {
    for (let size = 1; size < 30; size++) {
      const chunks = []
      for (let at = 0; at < whole.length; at += size) chunks.push(whole.subarray(at, at + size))
      const seen = read(...chunks)
      const outputs = seen.flatMap((one) => (one.type === 'output' ? [one] : []))
      expect(outputs.map(({ text }) => text).join('')).toBe('hello world')
      for (const { at, text } of outputs) expect('hello world'.slice(at, at + text.length)).toBe(text)
      expect(seen.filter(({ type }) => type !== 'output' && type !== 'errors').map(({ type }) => type)).toEqual([
        'hello',
        'lost',
        'lost',
        'taken',
        'exit',
        'gone',
      ])
    }
  })

  it.each([
    ['an output frame without a byte', frame('o', offset(0))],
    ['an output frame longer than any', Buffer.from([0x6f, 0xff, 0xff, 0xff])],
    ['an error output frame longer than any', Buffer.from([0x4f, 0xff, 0xff, 0xff])],
    ['an error output frame without a byte', frame('O', offset(0))],
    ['a loss without its offset', frame('L', Buffer.alloc(7))],
    ['an offset beyond all numbers', frame('o', Buffer.concat([Buffer.alloc(8, 0xff), Buffer.from('x')]))],
    ['a notice longer than any', Buffer.from([0x68, 0x01, 0, 0])],
    ['a count of input without a number', frame('t', Buffer.alloc(2))],
    ['an exit without a status', frame('x', Buffer.from([0]))],
  ])('fail on %s', (_name, bytes) => {
    expect(() => read(piece(bytes))).toThrow(FrameError)
  })

  it('skip what a newer holder may say', () => {
    expect(read(piece(Buffer.concat([frame('?', Buffer.from('new')), output(0, 'a')])))).toEqual([
      { type: 'output', at: 0, text: 'a' },
    ])
  })

  it('are written as the holder reads them', () => {
    expect(inputFrame(Buffer.from('ab'))).toEqual(Buffer.from([0x69, 0, 0, 2, 0x61, 0x62]))
    expect(sizeFrame(300, 2)).toEqual(Buffer.from([0x72, 0, 0, 4, 1, 0x2c, 0, 2]))
    expect(ackFrame('stdout', 258)).toEqual(Buffer.from([0x61, 0, 0, 8, 0, 0, 0, 0, 0, 0, 1, 2]))
    expect(ackFrame('stderr', 258)).toEqual(Buffer.from([0x41, 0, 0, 8, 0, 0, 0, 0, 0, 0, 1, 2]))
    expect([inputEndFrame(), signalFrame('TERM')]).toEqual([Buffer.from('d\0\0\0'), Buffer.from('s\0\0\x01\x0f')])
  })
})
