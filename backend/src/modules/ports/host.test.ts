import { describe, expect, it } from 'vitest'
import { PortHosts } from './host.ts'

const local = new PortHosts({ namespace: 'slipway', domain: null })
const below = new PortHosts({ namespace: 'slipway', domain: 'apps.example.org' })

describe('the host name of a port', () => {
  it('has the port, the agent and the installation, below localhost', () => {
    expect(local.nameOf({ agentName: 'atlas', port: 5173 })).toBe('5173--atlas--slipway.localhost')
  })

  it('has the port and the agent below a domain', () => {
    expect(below.nameOf({ agentName: 'atlas', port: 5173 })).toBe('5173--atlas.apps.example.org')
  })

  it.each([
    { agentName: 'a', port: 1 },
    { agentName: 'a--b', port: 80 },
    { agentName: `a${'-'.repeat(38)}b`, port: 65_535 },
  ])('is read as it was written: %o', (at) => {
    for (const hosts of [local, below]) {
      expect(hosts.parse(hosts.nameOf(at))).toEqual(at)
      expect(hosts.parse(`${hosts.nameOf(at).toUpperCase()}:4700`)).toEqual(at)
    }
  })

  it('is never longer than a part of a host name may be', () => {
    const long = new PortHosts({ namespace: `n${'-'.repeat(29)}n`, domain: null })
    const at = { agentName: 'a'.repeat(40), port: 65_535 }
    expect(long.nameOf(at).split('.')[0]!.length).toBe(63)
    expect(long.parse(long.nameOf(at))).toEqual(at)
  })

  it('is not that of another installation', () => {
    const other = new PortHosts({ namespace: 'slipway-two', domain: null })
    expect(local.parse(other.nameOf({ agentName: 'atlas', port: 80 }))).toBeNull()
  })

  it.each([
    undefined,
    '',
    'slipway.localhost',
    '127.0.0.1:4700',
    'localhost',
    '--slipway.localhost',
    '80--slipway.localhost',
    '0--atlas--slipway.localhost',
    '080--atlas--slipway.localhost',
    '65536--atlas--slipway.localhost',
    '80--atlas.evil--slipway.localhost',
    '80---atlas--slipway.localhost',
    '80--atlas--slipway.localhost.evil.example',
    '80--atlas--slipway.localhost:x',
  ])('is not %s', (header) => expect(local.parse(header)).toBeNull())
})
