import { describe, expect, it, vi } from 'vitest'
import { ownAddress, safeNext } from './ownAddress.ts'

const ORIGIN = 'https://slipway.example.org'
const EVIL = 'evil.example/x'

describe('a path to go to', () => {
  it.each(['/', '/agents/one', '/agents/one?tab=logs#end', '/audit?q=//evil.example', '/a//b', '/%09/b', '/ä b'])(
    'stays on the site: %j',
    (path) => {
      expect(ownAddress(path, ORIGIN)).toBe(new URL(path, ORIGIN).href)
      expect(ownAddress(path, ORIGIN)?.startsWith(`${ORIGIN}/`)).toBe(true)
    },
  )

  const slashes = ['//', '/\\', '///', '/\t/', '/\n/', '/\r/', '/\t\\', '/\r\n\t/', '\t//', ' //', '\\\\', '//user@']
  const others = ['http:', 'javascript:alert(1)//', 'https:', 'data:text/html,', '//[', '//a b/', '', 'agents']
  it.each([...slashes.map((slash) => slash + EVIL), ...others])(
    'is refused where it leaves the site, or is none: %j',
    (path) => expect(ownAddress(path, ORIGIN)).toBeNull(),
  )

  it('is an address in full, so that two slashes at its beginning lead nowhere else', () => {
    expect(ownAddress('/.//evil.example/x', ORIGIN)).toBe(`${ORIGIN}//${EVIL}`)
  })

  it('is followed after a sign-in; in the place of one that leaves the site comes the first page', () => {
    vi.stubGlobal('location', { origin: ORIGIN })
    expect(safeNext('/agents/one?a=1#b')).toBe('/agents/one?a=1#b')
    for (const path of [...slashes.map((slash) => slash + EVIL), ...others, null, undefined, ['/agents'], 7])
      expect(safeNext(path)).toBe('/')
    vi.unstubAllGlobals()
  })
})
