import { describe, expect, it } from 'vitest'
import { attachment } from './disposition.ts'
import { bytesOf } from './path-bytes.ts'
import { toHomePath, toTarget } from './path.ts'

const codeOf = (act: () => unknown): unknown => {
  try {
    return act()
  } catch (error) {
    return (error as { code?: string }).code
  }
}

describe('the path of a file', () => {
  it.each([
    ['notes.md', '/home/developer/notes.md'],
    ['./a//b/', '/home/developer/a/b'],
    ['~', '/home/developer'],
    ['~/a', '/home/developer/a'],
    ['/home/developer/a b\n', '/home/developer/a b\n'],
    ['.', '/home/developer'],
    ['-rf', '/home/developer/-rf'],
    ['a..b/...', '/home/developer/a..b/...'],
    ['~root', '/home/developer/~root'],
  ])('%j is %j', (path, absolute) => {
    expect(toHomePath(path)).toBe(absolute)
  })

  it.each(['..', '../x', 'a/../../x', '~/../x', 'a/..', '/etc/shadow', '/proc/self/environ', '/home/developer2', '/'])(
    '%j leads out of the home',
    (path) => {
      expect(codeOf(() => toHomePath(path))).toBe('OUTSIDE_HOME')
    },
  )

  it.each(['', 'a\0b', 'a/'.repeat(2100)])('%j is none', (path) => {
    expect(codeOf(() => toHomePath(path))).toBe('VALIDATION')
  })

  it('to be written has a folder and a name', () => {
    expect(toTarget('a/b.txt')).toEqual({ folder: '/home/developer/a', name: 'b.txt' })
    for (const path of ['~', '.', 'a/', '/home/developer', bytesOf('ü'.repeat(128))])
      expect(codeOf(() => toTarget(path))).toBe('VALIDATION')
  })
})

describe('the name under which a download is saved', () => {
  it.each([
    ['a.txt', `attachment; filename="a.txt"; filename*=UTF-8''a.txt`],
    [
      'a"b\r\nset-cookie: x',
      `attachment; filename="a_b__set-cookie: x"; filename*=UTF-8''a%22b%0D%0Aset-cookie%3A%20x`,
    ],
    ["ü'(1)*", `attachment; filename="_'(1)*"; filename*=UTF-8''%C3%BC%27%281%29%2A`],
  ])('of %j is exact and no other header', (name, header) => {
    expect(attachment(bytesOf(name))).toBe(header)
  })
})
