import { describe, expect, it } from 'vitest'
import {
  DEFAULT_POOL,
  isPool,
  overlap,
  parseRoutes,
  parseSubnet,
  printSubnet,
  slicesOf,
  subnetsInUse,
} from './subnets.ts'

const subnet = (text: string) => {
  const parsed = parseSubnet(text)
  if (!parsed) throw new Error(`${text} is no subnet`)
  return parsed
}
const slices = (start: number, ...inUse: string[]) =>
  slicesOf(subnet(DEFAULT_POOL), start, inUse.map(subnet)).map(printSubnet)

describe('a subnet', () => {
  it.each(['10.0.0.0', '10.0.0.0/33', '10.0.0.1/24', '256.0.0.0/8', '10.0.0.0/8 ', 'fd00::/64', '', '10.0.0/24'])(
    'is not written %j',
    (text) => expect(parseSubnet(text)).toBeNull(),
  )

  it('overlaps with what it holds and what holds it', () => {
    expect(overlap(subnet('10.208.0.0/13'), subnet('10.211.32.0/20'))).toBe(true)
    expect(overlap(subnet('10.211.32.0/20'), subnet('10.208.0.0/13'))).toBe(true)
    expect(overlap(subnet('10.211.32.0/20'), subnet('10.211.48.0/20'))).toBe(false)
    expect(overlap(subnet('0.0.0.0/0'), subnet('255.255.255.255/32'))).toBe(true)
  })

  it('is a pool from /8 to /20', () => {
    expect(
      ['10.0.0.0/7', '10.0.0.0/8', '10.16.0.0/20', '10.16.0.0/21'].map((text) =>
        isPool(parseSubnet(text) ?? { first: 0, prefix: 0 }),
      ),
    ).toEqual([false, true, true, false])
  })
})

describe('the subnets that are tried', () => {
  it('are all of the pool, each once, from a place on that each installation has for itself', () => {
    const all = slices(17)
    expect(new Set(all).size).toBe(128)
    expect(all[0]).toBe('10.209.16.0/20')
    expect(slices(0).slice(-1)).toEqual(['10.215.240.0/20'])
    expect(slices(128)).toEqual(slices(0))
  })

  it('are those last that are in use, such as the network that people come from', () => {
    const all = slices(0, '10.208.4.0/24', '10.209.0.0/16', '192.168.0.0/16')
    expect(all[0]).toBe('10.208.16.0/20')
    expect(all.slice(-17)[0]).toBe('10.208.0.0/20')
    expect(all).toHaveLength(128)
  })

  it('are still tried where a route to half of the Internet leads elsewhere', () => {
    expect(slices(5, '0.0.0.0/1')).toEqual(slices(5))
  })
})

describe('what is in use on this machine', () => {
  it('is read from the kernel’s routes, but for the default one', () => {
    const table = [
      'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT',
      'eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0',
      'br-4e2eac17185d\t0060D40A\t00000000\t0001\t0\t0\t0\t00F0FFFF\t0\t0\t0',
      'eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0',
    ]
    expect(parseRoutes(table.join('\n')).map(printSubnet)).toEqual(['10.212.96.0/20', '192.0.2.0/24'])
  })

  it('has at least the loopback', () => {
    expect(subnetsInUse().map(printSubnet)).toContain('127.0.0.0/8')
  })
})
