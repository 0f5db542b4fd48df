// docker-compose.yml as it is: start, use, back up, restore, stop. Nothing must be left.
import type { Agent, SignedIn } from '@slipway/protocol'
import { disconnectAll, TerminalClient, until } from '@slipway/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Client, PASSWORD } from '../support/api.ts'
import { docker } from '../support/engine.ts'
import { run } from './support/command.ts'
import { Installation } from './support/compose.ts'

const EMAIL = 'ops@example.org'

let installation: Installation
let admin: Client
let left: string[] | null = null

const post = async <T>(path: string, body: object): Promise<T> => {
  const response = await fetch(`${installation.baseUrl}/api${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as T
}

const isReady = async (): Promise<boolean> =>
  (await fetch(`${installation.baseUrl}/api/health/ready`).catch(() => null))?.status === 200

const signIn = async (): Promise<Client> => {
  const { accessToken, user } = await post<SignedIn>('/auth/login', { email: EMAIL, password: PASSWORD })
  return new Client(installation.baseUrl, accessToken, user)
}

beforeAll(async () => {
  installation = await Installation.prepare({
    SLIPWAY_IMAGES: process.env['SLIPWAY_TEST_IMAGE'] ?? '',
    SLIPWAY_IMAGE: process.env['SLIPWAY_TEST_PLATFORM_IMAGE'] ?? '',
    SLIPWAY_POSTGRES_IMAGE: process.env['SLIPWAY_TEST_POSTGRES_IMAGE'] ?? '',
  })
  await installation.compose(['up', '-d'])
  await until('the platform to be ready', isReady)
})
afterEach(disconnectAll)
afterAll(async () => {
  if (left === null) await installation.remove()
})

describe('the platform under Compose', () => {
  it('is healthy, and its log has the set-up link', async () => {
    const id = await installation.containerOf('slipway')
    await expect.poll(async () => (await docker.getContainer(id).inspect()).State.Health?.Status).toBe('healthy')
    const token = /\/setup#token=(\S+)/.exec(await installation.logs())?.[1]
    const { accessToken, user } = await post<SignedIn>('/auth/setup', { token, email: EMAIL, password: PASSWORD })
    admin = new Client(installation.baseUrl, accessToken, user)
    expect(user).toMatchObject({ email: EMAIL, role: 'admin' })
  })

  it('has as few rights as it can do with', async () => {
    const { Config, HostConfig } = await docker.getContainer(await installation.containerOf('slipway')).inspect()
    expect(Config.User).toBe('slipway')
    expect(HostConfig).toMatchObject({ ReadonlyRootfs: true, CapDrop: ['ALL'], Privileged: false })
    expect(HostConfig.SecurityOpt?.[0]).toMatch(/^no-new-privileges/)
    const published = Object.values(HostConfig.PortBindings as Record<string, { HostIp: string }[]>).flat()
    expect(published.map(({ HostIp }) => HostIp)).toEqual(['127.0.0.1'])
    const database = await docker.getContainer(await installation.containerOf('database')).inspect()
    expect(database.HostConfig).toMatchObject({ ReadonlyRootfs: true, PortBindings: {} })
    const environments = [...Config.Env, ...database.Config.Env].join('\n')
    expect(environments).not.toContain('p@ss')
  })

  it('makes an agent and answers in its terminal', async () => {
    const agent = await admin.agent({ name: 'composed' })
    const path = `/agents/${agent.name}/terminal?mode=bash`
    const { baseUrl } = installation
    const first = { type: 'auth', token: admin.token, v: 2 }
    const terminal = await TerminalClient.open({ baseUrl, path, origin: baseUrl }, first)
    await terminal.until('a prompt', () => terminal.text.includes('$ '))
    expect(await terminal.run('id -un')).toContain('developer')
  })

  it('is out of reach for the agents, and so is its database', async () => {
    const addressesOf = async (service: string): Promise<string[]> => {
      const { NetworkSettings } = await docker.getContainer(await installation.containerOf(service)).inspect()
      return Object.values(NetworkSettings.Networks).flatMap(({ IPAddress, Gateway }) => [IPAddress, Gateway])
    }
    const { port } = new URL(installation.baseUrl)
    const agent = `${installation.namespace}-agent-composed`
    const own = await docker.getContainer(agent).inspect()
    const gateways = Object.values(own.NetworkSettings.Networks).map(({ Gateway }) => Gateway)
    const [platform, database] = await Promise.all([addressesOf('slipway'), addressesOf('database')])
    const targets = [...platform, ...database, ...gateways]
      .filter((address) => address !== '')
      .flatMap((address) => [`${address} ${port}`, `${address} 5432`])
    // Uses bash's own sockets. The target need not answer: an open connection is a failure.
    const probe = (target: string): string[] => [
      ...['timeout', '2', 'bash', '-c', 'exec 3<>"/dev/tcp/$0/$1" && echo open', ...target.split(' ')],
    ]
    const isOpen = async (argv: readonly string[]): Promise<boolean> => (await run(argv)).stdout === 'open\n'
    // This machine reaches both, which proves that the probe can find them.
    const control = [`${platform[0] ?? ''} ${port}`, `${database[0] ?? ''} 5432`]
    expect(await Promise.all(control.map((target) => isOpen(probe(target))))).toEqual([true, true])
    const reached = await Promise.all(
      targets.map(async (target) => ((await isOpen(['docker', 'exec', agent, ...probe(target)])) ? [target] : [])),
    )
    expect(targets.length).toBeGreaterThanOrEqual(6)
    expect(reached.flat()).toEqual([])
  })

  it('is restored from a backup of its database, without what a newer version has added', async () => {
    const inDatabase = (argv: readonly string[], input?: string): Promise<string> =>
      installation.compose(['exec', '-T', 'database', ...argv], input)
    const psql = ['psql', '-U', 'slipway', '-d', 'slipway', '-v', 'ON_ERROR_STOP=1', '-q']
    const backup = await inDatabase(['pg_dump', '-U', 'slipway', '-d', 'slipway'])
    await admin.ok('DELETE', '/agents/composed')
    await installation.compose(['stop', 'slipway'])
    // Needs the key of an old table, so a restore over it fails.
    await inDatabase(psql, 'CREATE TABLE "Newer" ("userId" uuid REFERENCES "User" ("id"));')
    await inDatabase(['dropdb', '-U', 'slipway', '--force', 'slipway'])
    await inDatabase(['createdb', '-U', 'slipway', 'slipway'])
    await inDatabase([...psql, '--single-transaction'], backup)
    const isGone = `SELECT to_regclass('"Newer"') IS NULL`
    expect((await inDatabase([...psql, '--tuples-only', '--no-align', '-c', isGone])).trim()).toBe('t')
    await installation.compose(['start', 'slipway'])
    await until('the platform to be ready again', isReady)
    const again = await signIn()
    const { items } = await again.ok<{ items: Agent[] }>('GET', '/agents')
    expect(items.map(({ name }) => name)).toEqual(['composed'])
  })

  it('stops in order, and nothing is left of it', async () => {
    const id = await installation.containerOf('slipway')
    await installation.compose(['stop'])
    const { State } = await docker.getContainer(id).inspect()
    expect(State.ExitCode).toBe(0)
    const lines = await installation.logs()
    expect(lines).toContain('"msg":"stopped"')
    left = await installation.remove()
    // The agents' network and homes belong to the platform, not to Compose. docs/operating/operations.md says how to
    // remove them.
    const ours = left.filter((name) => !name.endsWith('-agents') && !name.includes('-agent-'))
    expect(ours).toEqual([])
  })
})
