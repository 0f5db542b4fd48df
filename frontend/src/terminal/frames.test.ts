import { expect, test } from 'vitest'
import { authFrame, bytesOfBinary, bytesOfText, parseServerFrame } from './frames.ts'

test('the first message asks for version 2 and names the size', () => {
  expect(JSON.parse(authFrame('secret', { cols: 120, rows: 40 }))).toEqual({
    type: 'auth',
    token: 'secret',
    v: 2,
    cols: 120,
    rows: 40,
  })
})

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
