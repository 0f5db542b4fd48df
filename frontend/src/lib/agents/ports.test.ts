import { describe, expect, it } from 'vitest'
import { isForAll, portOf, wantedPort } from './ports.ts'

describe('a port that the query of a page names', () => {
  it('has a path', () => {
    expect(wantedPort({ open: '5173', path: '/a?b=c' })).toEqual({ port: 5173, path: '/a?b=c' })
    expect(wantedPort({ open: '80' })).toEqual({ port: 80, path: '/' })
  })

  it('never has the path of another host', () => {
    expect(wantedPort({ open: '80', path: 'https://evil.example' })?.path).toBe('/')
  })

  it.each(['0', '65536', '-1', '5173x', ['1'], undefined])('is not %s', (open) => {
    expect(wantedPort({ open })).toBeNull()
  })
})

describe('an address of the agent’s own machine', () => {
  it('has a port and a path', () => {
    expect(portOf('http://localhost:5173/a?b=c#d')).toEqual({ port: 5173, path: '/a?b=c#d' })
    expect(portOf('http://127.0.0.1')).toEqual({ port: 80, path: '/' })
    expect(portOf('http://[::1]:3000/')).toEqual({ port: 3000, path: '/' })
  })

  it('has none with https', () => expect(portOf('https://localhost:5173/')).toBeNull())
})

describe('what listens on every address', () => {
  it('is told by one of its addresses', () => {
    expect(isForAll({ port: 1, addresses: ['127.0.0.1', '::'], process: null })).toBe(true)
    expect(isForAll({ port: 1, addresses: ['127.0.0.1', '::1'], process: null })).toBe(false)
  })
})
