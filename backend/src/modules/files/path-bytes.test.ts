import { describe, expect, it } from 'vitest'
import { bytesOf, encodedWhereNeeded, octalEscaped, pathIn, percentEncoded, recordable, textOf } from './path-bytes.ts'

/** Every byte that a name may contain. */
const ALL = Array.from({ length: 255 }, (_, at) => String.fromCharCode(at + 1)).join('')

describe('the path of an address', () => {
  it.each([
    ['/files?path=a/b.txt', 'a/b.txt'],
    ['/files?path=%C3%BC', bytesOf('ü')],
    ['/files?path=ü', bytesOf('ü')],
    ['/files?path=caf%E9', 'caf\xe9'],
    ['/files?path=%25E9', '%E9'],
    ['/files?path=a+b%2Bc', 'a b+c'],
    ['/files?path=%zz%', '%zz%'],
    ['/files?parents=true&path=x=y?z', 'x=y?z'],
    ['/files?p%61th=x', 'x'],
    ['/files?path=', ''],
    ['/files?xpath=a', null],
    ['/files', null],
  ])('of %s is %j', (url, path) => expect(pathIn(url)).toBe(path))

  it('is any bytes, there and back', () => {
    expect(pathIn(`/files?path=${percentEncoded(ALL)}`)).toBe(ALL)
    expect(percentEncoded(ALL)).toMatch(/^[\w./%-]+$/)
    expect(octalEscaped('a/ü\xff\\')).toBe('a/\\0374\\0377\\0134')
  })

  it('is told in characters, and in bytes where they are none', () => {
    expect([textOf(bytesOf('ü文')), encodedWhereNeeded(bytesOf('ü文')), recordable(bytesOf('ü文'))]).toEqual([
      'ü文',
      null,
      'ü文',
    ])
    expect([textOf('d\xe9'), encodedWhereNeeded('d\xe9'), recordable('d\xe9')]).toEqual(['d\ufffd', 'd%E9', 'd%E9'])
    expect(encodedWhereNeeded(bytesOf('\ufffd'))).toBeNull()
  })
})
