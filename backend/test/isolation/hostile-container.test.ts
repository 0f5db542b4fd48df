import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { inLongForm } from '@slipway/testing/forms'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { namesFor } from '../../src/runtime/docker/container/profile.ts'
import { IMAGE, useEngine } from '../support/engine/engine.ts'
import { openLinkLocal } from '../support/engine/link-local.ts'
import { hostAddresses, listenOn, reachedFrom, stopListening } from '../support/engine/probe.ts'
import { openTerminal } from '../conformance/terminal.ts'
import { as, newAgent, useTeam } from '../support/people/team.ts'

const { docker, runtime, namespace } = useEngine()
const team = useTeam({ runtime, config: { namespace, images: [IMAGE], host: '0.0.0.0' } })
const names = namesFor(namespace)

let attacker = ''
let victim = ''
const reached = (targets: readonly string[]) => reachedFrom(runtime, attacker, [...new Set(targets)])
const NOTHING = { opened: [], answered: [] }

const create = async (name: string): Promise<string> => {
  await as(team(), team().owner)('POST /agents?wait=true', newAgent(name))
  return (await docker.getContainer(names.container(name)).inspect()).Id
}
const addressOf = async (id: string): Promise<{ address: string; gateway: string }> => {
  const { NetworkSettings } = await docker.getContainer(id).inspect()
  const { IPAddress, Gateway } = NetworkSettings.Networks[names.network] ?? { IPAddress: '', Gateway: '' }
  return { address: IPAddress, gateway: Gateway }
}
beforeAll(async () => {
  attacker = await create('attacker')
  victim = await create('victim')
  await team().app.listen({ host: '0.0.0.0', port: 0 })
})
afterAll(stopListening)

describe('container to container, to backend, database, engine, link-local: from a hostile one', () => {
  it('a listener of the machine’s own on all addresses can be reached, which is what the firewall rule is for', async () => {
    const { gateway } = await addressOf(attacker)
    const greets = `${gateway} ${await listenOn('0.0.0.0')}`
    const waits = `${gateway} ${await listenOn('0.0.0.0', '')}`
    expect(await reached([greets, waits])).toEqual({ opened: [greets, waits], answered: [greets] })
  })

  it('the other agent is not there, by address or by name, on any port that listens', async () => {
    const listen =
      'import http.server as h; h.ThreadingHTTPServer(("0.0.0.0", 8099), h.SimpleHTTPRequestHandler).serve_forever()'
    const serving = await openTerminal({ runtime, containerId: victim }, ['python3', '-c', listen])
    const { address } = await addressOf(victim)
    const own = { argv: ['bash', '-c', 'until exec 3<>/dev/tcp/127.0.0.1/8099; do sleep 0.1; done'], maxOutputBytes: 0 }
    await runtime.run(victim, { ...own, timeoutMs: 60_000 })
    expect(
      await reached([`${address} 8099`, `${address} 22`, `victim 8099`, `${names.container('victim')} 8099`]),
    ).toEqual(NOTHING)
    await serving.pty.hangUp()
  })

  it('the backend’s port gives no byte on any address of this machine, although it listens on all of them', async () => {
    const { port } = team().app.server.address() as AddressInfo
    const served = await fetch(`http://127.0.0.1:${port}/api/health`)
    expect(served.status).toBe(200)
    const { gateway } = await addressOf(attacker)
    const targets = [gateway, ...hostAddresses(), '::ffff:127.0.0.1', `::ffff:${gateway}`, '0.0.0.0']
    // If the server listens on all addresses, the kernel accepts the connection, and the server resets it at once.
    expect((await reached(targets.map((address) => `${address} ${port}`))).answered).toEqual([])
  })

  it('database, engine and every other listener on loopback are refused on every address', async () => {
    const port = await listenOn('127.0.0.1')
    const { gateway } = await addressOf(attacker)
    const targets = [gateway, ...hostAddresses()].flatMap((address) =>
      [port, 5432, 2375, 2376].map((each) => `${address} ${each}`),
    )
    expect(await reached(targets)).toEqual(NOTHING)
  })

  it('link-local over IPv6 is refused: there is no such address to send from', async () => {
    expect(await reached(['fd00:ec2::254 80', 'fe80::1%eth0 80', 'ff02::1%eth0 80'])).toEqual(NOTHING)
    const { stdout } = await runtime.run(attacker, {
      argv: ['sh', '-c', 'grep -v " lo$" /proc/net/if_inet6; ls /var/run/docker.sock 2>&1'],
      timeoutMs: 60_000,
      maxOutputBytes: 1_000,
    })
    // The engine's socket is not in the container.
    expect(stdout.toString()).toMatch(/^ls: [^\n]*docker\.sock[^\n]*\n$/)
  })
})

/** Sets the documented rule for this test's network, and removes it again. */
const FIREWALLS = {
  nftables: (rule: string, subnet: string) => {
    const table = namespace.replaceAll('-', '_')
    const own = rule.replace('table inet slipway ', `table inet ${table} `).replace(POOL, subnet)
    execFileSync('nft', ['-f', '-'], { input: own })
    return () => execFileSync('nft', ['delete', 'table', 'inet', table])
  },
  iptables: (rule: string, subnet: string) => {
    const lines = rule.replaceAll(POOL, subnet).trim().split('\n')
    for (const line of lines) execFileSync('iptables', ['-w', ...line.split(' ').slice(1)])
    return () => {
      for (const line of lines) execFileSync('iptables', ['-w', ...line.replace(' -I ', ' -D ').split(' ').slice(1)])
    }
  },
}
const POOL = '10.208.0.0/13'
const documentation = readFileSync(new URL('../../../docs/operating/isolation.md', import.meta.url), 'utf8')
const [, nftables = '', iptables = ''] = /```nft\n(.*?)```.*?```sh\n(.*?)```/s.exec(documentation) ?? []

// Only root can set firewall rules.
describe.skipIf(process.getuid?.() !== 0)('container to container, to backend, database, engine, link-local:', () => {
  // In the short form the rule for nftables alone.
  it.each([['nftables', nftables] as const, ...inLongForm([['iptables', iptables] as const])])(
    'the documented firewall rule (%s) keeps a container from host and link-local',
    async (kind, rule) => {
      const port = await listenOn('0.0.0.0')
      const { gateway } = await addressOf(attacker)
      const linkLocal = await openLinkLocal()
      try {
        const host = [gateway, ...hostAddresses()].map((address) => `${address} ${port}`)
        const others = ['169.254.169.254 80', '169.254.169.254 443', '169.254.170.2 80']
        // A target for each chain: traffic to this machine, by either address, and traffic through it.
        const open = [`${gateway} ${port}`, `${linkLocal.near} ${port}`, linkLocal.beyond]
        expect((await reached(open)).opened).toEqual(open)
        const takeAway = FIREWALLS[kind](rule, runtime.agentSubnets[0] ?? '')
        try {
          expect(await reached([...host, ...open, ...others])).toEqual(NOTHING)
        } finally {
          takeAway()
        }
        expect((await reached(open)).opened).toEqual(open)
      } finally {
        await linkLocal.close()
      }
    },
  )
})
