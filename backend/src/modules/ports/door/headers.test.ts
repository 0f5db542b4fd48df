import { describe, expect, it } from 'vitest'
import { cookieHeaderWithout, cookieOf, secretsIn } from './cookie.ts'
import { type Origins, toApp, toBrowser } from './headers.ts'

const OWN = 'http://5173--atlas--slipway.localhost:4700'
const origins: Origins = {
  inward: (origin) => (origin === OWN ? 'http://localhost:5173' : null),
  outward: (port) => `http://${port}--atlas--slipway.localhost:4700`,
}
const app = (...rawHeaders: string[]): string[] => toApp({ rawHeaders }, 5173, origins)
const browser = (...rawHeaders: string[]): string[] => toBrowser(rawHeaders, origins)
const SECRET = 'a'.repeat(43)

describe('the headers for an app', () => {
  it('name its own host and its own origin', () => {
    expect(app('Host', '5173--atlas--slipway.localhost:4700', 'Origin', OWN, 'Referer', `${OWN}/a?b=c`)).toEqual([
      ...['Host', 'localhost:5173', 'Origin', 'http://localhost:5173', 'Referer', 'http://localhost:5173/a?b=c'],
    ])
  })

  it('keep the origin of any other page', () => {
    expect(app('Origin', 'null', 'Referer', 'https://example.org/')).toEqual([
      ...['Host', 'localhost:5173', 'Origin', 'null', 'Referer', 'https://example.org/'],
    ])
  })

  it('have no secret of the platform, and all cookies of the app', () => {
    expect(app('Cookie', `a=1; slipway_port=${SECRET}; b=2`)).toEqual(['Host', 'localhost:5173', 'Cookie', 'a=1; b=2'])
    expect(app('Cookie', `__Host-slipway_port=${SECRET}`)).toEqual(['Host', 'localhost:5173'])
  })

  it('have nothing of proxies and of the connection', () => {
    const sent = ['Connection', 'x-hop, Keep-Alive', 'X-Hop', '1', 'Upgrade', 'websocket', 'X-Forwarded-Host', 'evil']
    expect(app(...sent, 'X-Own', '1')).toEqual(['Host', 'localhost:5173', 'X-Own', '1'])
  })

  it('have the length of the body, also if the connection names it', () => {
    const kept = ['Host', 'localhost:5173', 'content-length', '5']
    expect(app('Connection', 'x-hop, Content-Length', 'content-length', '5', 'X-Hop', '1')).toEqual(kept)
  })
})

describe('the headers for a browser', () => {
  it.each([
    ['http://localhost:5173/x?y=1', `${OWN}/x?y=1`],
    ['http://127.0.0.1:3000/', 'http://3000--atlas--slipway.localhost:4700/'],
    ['http://[::1]:5173', OWN],
    ['http://localhost', 'http://80--atlas--slipway.localhost:4700'],
    ['/x', '/x'],
    ['https://example.org/', 'https://example.org/'],
    ['http://localhost.evil.example:5173/', 'http://localhost.evil.example:5173/'],
  ])('lead from %s to %s', (from, to) => expect(browser('Location', from)).toEqual(['Location', to]))

  it('keep cookies at the host of the app', () => {
    expect(browser('Set-Cookie', 'a=1; Path=/; Domain=example.org; HttpOnly')).toEqual([
      ...['Set-Cookie', 'a=1; Path=/; HttpOnly'],
    ])
  })

  it('do not clear what the platform has at the same site', () => {
    expect(browser('Clear-Site-Data', '"cookies"', 'Alt-Svc', 'h3', 'X-Own', '1')).toEqual(['X-Own', '1'])
  })
})

describe('the cookie of a browser', () => {
  it('is found beside others, also if there are several', () => {
    const other = 'b'.repeat(43)
    expect(secretsIn(`x=1; slipway_port=${SECRET};slipway_port=${other}`, false)).toEqual([SECRET, other])
    expect(secretsIn(`slipway_port=${SECRET}`, true)).toEqual([])
    expect(secretsIn('slipway_port=short', false)).toEqual([])
    expect(secretsIn(undefined, false)).toEqual([])
  })

  it('is for its host alone, and with https for https alone', () => {
    expect(cookieOf(SECRET, true, 60)).toBe(
      `__Host-slipway_port=${SECRET}; Path=/; HttpOnly; SameSite=Lax; Max-Age=60; Secure`,
    )
    expect(cookieOf(SECRET, false, 60)).not.toContain('Secure')
  })

  it('is all that is taken out', () => expect(cookieHeaderWithout('a=1;b="x; y"')).toBe('a=1; b="x; y"'))
})
