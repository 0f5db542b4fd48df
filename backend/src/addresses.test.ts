import { describe, expect, it } from 'vitest'
import { localOrigins, missingPublicUrl, programUrl } from './addresses.ts'

const NAMED = ['http://slipway.localhost:4700', 'http://127.0.0.1:4700', 'http://localhost:4700']
const IPV6 = 'http://[::1]:4700'

describe('the addresses of a server without a public URL', () => {
  it.each([
    ['127.0.0.1', NAMED],
    ['localhost', [...NAMED, IPV6]],
    ['::1', [...NAMED, IPV6]],
    ['::', [...NAMED, IPV6]],
    ['0.0.0.0', NAMED],
    ['192.168.1.5', ['http://192.168.1.5:4700', ...NAMED]],
    ['127.0.0.2', ['http://127.0.0.2:4700', ...NAMED]],
    ['fd00:0:0::05', ['http://[fd00::5]:4700', ...NAMED]],
  ])('on %s are those that browsers open, the best first', (host, origins) => {
    expect(localOrigins(host, 4700)).toEqual(origins)
  })

  it('have no port where http has it anyway, as browsers send them', () => {
    expect(localOrigins('::1', 80)).toEqual([
      'http://slipway.localhost',
      'http://127.0.0.1',
      'http://localhost',
      'http://[::1]',
    ])
  })

  it.each([
    ['127.0.0.1', 'http://127.0.0.1:4700'],
    ['0.0.0.0', 'http://127.0.0.1:4700'],
    ['::', 'http://127.0.0.1:4700'],
    ['::1', IPV6],
    ['192.168.1.5', 'http://192.168.1.5:4700'],
  ])('for programs on %s need no name', (host, url) => {
    expect(programUrl(host, 4700)).toBe(url)
  })

  it('are worth a warning where others reach the server and may not sign in', () => {
    for (const host of ['::', '0.0.0.0']) {
      expect(missingPublicUrl({ host, publicUrl: null })).toContain('SLIPWAY_PUBLIC_URL')
      expect(missingPublicUrl({ host, publicUrl: 'https://slipway.example.org' })).toBeNull()
    }
    for (const host of ['127.0.0.1', 'localhost', '::1', '192.168.1.5'])
      expect(missingPublicUrl({ host, publicUrl: null })).toBeNull()
  })
})
