import { describe, expect, test } from 'vitest'
import { decodePath, encodePath } from './pathBytes.ts'

describe('the path of a file', () => {
  test.each(['a/b.txt', 'ü 文 👍🏽 + & = # % ?', 'caf\udce9.txt', '\udcff\udc80', 'ü\udcc3.\udce2\udc82'])(
    '%j is the same after it was in an address',
    (path) => {
      expect(decodePath(encodePath(path))).toBe(path)
      expect(encodePath(path)).toMatch(/^[\w.!~*'()%-]*$/)
    },
  )

  test.each([
    ['caf%E9.txt', 'caf\udce9.txt'],
    ['%e6%96%87', '文'],
    ['%E6%96', '\udce6\udc96'],
    ['%ED%A0%80', '\udced\udca0\udc80'],
    ['%C0%80', '\udcc0\udc80'],
    ['%zz', '%zz'],
  ])('%s is %j', (encoded, path) => expect(decodePath(encoded)).toBe(path))

  test('with half of a character of UTF-16 is one that can be sent', () => {
    expect(encodePath('a\ud800')).toBe('a%EF%BF%BD')
  })
})
