import { expect, test } from 'vitest'
import { bytesOfBinary, bytesOfText, parseServerFrame } from './frames.ts'

test('text is sent as UTF-8', () => {
  expect([...bytesOfText('é✓')]).toEqual([0xc3, 0xa9, 0xe2, 0x9c, 0x93])
})

test('binary reports are sent byte for byte', () => {
  expect([...bytesOfBinary('\x1b[M \xff\x80')]).toEqual([0x1b, 0x5b, 0x4d, 0x20, 0xff, 0x80])
})

test.each(['', 'no json', '1', 'null', '[]', '{}', '{"type":7}', '{"type":"constructor"}', '{"type":"later"}'])(
  'a text frame that is none of ours is skipped: %s',
  (text) => {
    expect(parseServerFrame(text)).toBeNull()
  },
)

test('the frames of the protocol are read', () => {
  expect(parseServerFrame('{"type":"auth_success","sessionId":"a","offset":0}')).toEqual({
    type: 'auth_success',
    sessionId: 'a',
    offset: 0,
  })
})
