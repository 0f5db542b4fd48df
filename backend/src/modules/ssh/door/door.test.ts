/** Who gets in over SSH, and what strangers may cost. No program of a container runs here. */
import { once } from 'node:events'
import { connect as connectSocket } from 'node:net'
import ssh2, { type Client, type ClientChannel, type ConnectConfig } from 'ssh2'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { auditOf, whileAuditIsRefused } from '../../../../test/support/audit.ts'
import { MemoryEngine } from '../../../../test/support/engine/memory-engine.ts'
import { MemoryKeys } from '../../../../test/support/ssh/memory-keys.ts'
import { as, newAgent, useTeam } from '../../../../test/support/people/team.ts'
import { newEd25519Pair } from './new-key.ts'
import { CONNECTIONS_PER_USER, FAILURES, WAITING_PER_NETWORK } from '../limits.ts'

const keys = new MemoryKeys()
const team = useTeam({ runtime: new MemoryEngine().runtime, config: { sshPort: 0 }, sshKeys: keys })
const owner = (...request: Parameters<ReturnType<typeof as>>) => as(team(), team().owner)(...request)
let key: string

const clients: Client[] = []
beforeAll(async () => {
  await owner('POST /agents?wait=true', newAgent('worker'))
  key = keys.make(team().owner.id).key
})
afterEach(async () => {
  for (const client of clients.splice(0)) client.end()
  // They count until the server has seen their end.
  await expect.poll(() => figure('slipway_ssh_connections')).toBe(0)
})

/** Connects, or throws the client's error. */
const connect = async (config: Partial<ConnectConfig> = {}): Promise<Client> => {
  const client = new ssh2.Client()
  clients.push(client)
  const ready = once(client, 'ready')
  // A server that closes it says so without an error.
  const closed = once(client, 'close').then(() => Promise.reject(new Error('the server closed the connection')))
  closed.catch(() => undefined)
  client.connect({ host: '127.0.0.1', port: team().sshPort()!, username: 'worker', privateKey: key, ...config })
  await Promise.race([ready, closed])
  // The server may close it at any time.
  client.on('error', () => undefined)
  return client
}
/** One of the server's metrics. */
const figure = async (name: string): Promise<number> => {
  const lines = (await as(team(), team().admin)('GET /metrics')).body.split('\n')
  return Number(lines.find((line) => line.startsWith(`${name} `))?.split(' ')[1] ?? 0)
}
/** Why a client does not get in. */
const refusal = (config: Partial<ConnectConfig>): Promise<string> =>
  connect(config).then(
    () => 'it was let in',
    (error: unknown) => (error as Error).message,
  )
const NO_METHOD = 'All configured authentication methods failed'

const exec = (client: Client): Promise<ClientChannel> =>
  new Promise((resolve, reject) => client.exec('true', (error, opened) => (error ? reject(error) : resolve(opened))))
/** What the server says on a channel instead of running a program. */
const answer = async (client: Client): Promise<string> => {
  const channel = await exec(client)
  let said = ''
  channel.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  channel.resume()
  await once(channel, 'close')
  return said
}

describe('a key', () => {
  it.each(['ed25519', 'ecdsa', 'rsa'] as const)(
    'of the kind %s lets its user in, and its use is noted',
    async (kind) => {
      const made = keys.make(team().owner.id, kind)
      await connect({ privateKey: made.key })
      expect(keys.uses).toContain(made.id)
    },
  )

  it('opens only agents that its user may use, and an unknown key opens none: all get one answer', async () => {
    const { key: stranger } = keys.make(team().stranger.id)
    const unknown = newEd25519Pair().private
    for (const privateKey of [stranger, unknown])
      for (const username of ['worker', 'missing', 'system', 'a\0b', '../worker', 'x'.repeat(5000)])
        expect(await refusal({ privateKey, username })).toBe(NO_METHOD)
  })

  it('opens the system agent to an admin alone', async () => {
    await connect({ privateKey: keys.make(team().admin.id).key, username: 'system' })
    expect(await refusal({ username: 'system' })).toBe(NO_METHOD)
  })

  it('is the only proof: passwords are refused', async () => {
    expect(
      await refusal({ password: 'correct horse battery', authHandler: ['password', 'keyboard-interactive'] }),
    ).toBe(NO_METHOD)
  })
})

describe('a connection', () => {
  it('is recorded with the key, and not opened where that is refused', async () => {
    expect(await whileAuditIsRefused(team().database, () => refusal({}))).toBe(NO_METHOD)
    const made = keys.make(team().owner.id)
    await connect({ privateKey: made.key })
    const [event] = await auditOf(team(), team().admin, '&action=ssh.connected')
    expect(event).toMatchObject({
      action: 'ssh.connected',
      actor: { email: team().owner.email, via: 'ssh_key', viaId: made.id, address: '127.0.0.1' },
      target: { type: 'agent', name: 'worker' },
      detail: { relation: 'owner', fingerprint: expect.stringMatching(/^SHA256:[\w+/]{43}$/) as string },
    })
  })

  it('ends when its key is removed, its user is disabled, or the agent is deleted', async () => {
    const made = keys.make(team().owner.id)
    const client = await connect({ privateKey: made.key })
    const closed = once(client, 'close')
    keys.remove(made.id)
    await closed
    expect(await refusal({ privateKey: made.key })).toBe(NO_METHOD)

    const { key: privateKey } = keys.make(team().colleague.id)
    await owner('POST /agents/worker/shares', { email: team().colleague.email })
    const theirs = once(await connect({ privateKey }), 'close')
    const admin = as(team(), team().admin)
    await admin(`PATCH /users/${team().colleague.id}`, { disabled: true })
    await theirs
    expect(await refusal({ privateKey })).toBe(NO_METHOD)

    await owner('POST /agents?wait=true', newAgent('short'))
    const ended = once(await connect({ username: 'short' }), 'close')
    await owner('DELETE /agents/short?wait=true')
    await ended
  })

  it.each([
    ['its key is removed', (id: string) => Promise.resolve(keys.remove(id))],
    ['its share is taken back', () => owner(`DELETE /agents/worker/shares/${team().stranger.id}`)],
  ])('is not opened where %s meanwhile, at each step', async (_what, take) => {
    // A client asks whether a key is of use, and then proves it. The third look-up is the last step.
    for (const step of [1, 2, 3]) {
      await owner('POST /agents/worker/shares', { email: team().stranger.email })
      const made = keys.make(team().stranger.id)
      keys.during((lookups) => (lookups === step ? take(made.id) : Promise.resolve()))
      expect(await refusal({ privateKey: made.key })).not.toBe('it was let in')
      keys.during(() => Promise.resolve())
    }
  })

  it('beyond the limit of its user is told so', async () => {
    for (let n = 0; n < CONNECTIONS_PER_USER; n += 1) await connect()
    expect(await answer(await connect())).toContain(
      `You have ${CONNECTIONS_PER_USER} connections over SSH, the maximum.`,
    )
  })
})

describe('a program', () => {
  it('that is refused when its client has gone already troubles no other client', async () => {
    await owner('POST /agents?wait=true', newAgent('stopped'))
    await owner('POST /agents/stopped/stop?wait=true')
    const client = await connect({ username: 'stopped' })
    const channel = await exec(client)
    channel.resume().close()
    await once(channel, 'close')
    expect(await answer(client)).toContain("Agent 'stopped' is not running.")
  })
})

describe('a stranger', () => {
  const failures = () => figure('slipway_ssh_refused_total{reason="key"}')

  it('is not heard for a while after many failures', async () => {
    await connect()
    const before = await failures()
    const unknown = newEd25519Pair().private
    for (let n = 0; n < FAILURES.maxFailures; n += 1) await refusal({ privateKey: unknown })
    await expect.poll(failures).toBe(before + FAILURES.maxFailures)
    expect(await refusal({})).not.toBe('it was let in')
    team().clock.advance(FAILURES.windowMs)
    await connect()
  })

  it('holds a bounded number of connections open', async () => {
    const sockets = Array.from({ length: WAITING_PER_NETWORK }, () => connectSocket(team().sshPort()!, '127.0.0.1'))
    await Promise.all(sockets.map((socket) => once(socket, 'data')))
    const further = connectSocket(team().sshPort()!, '127.0.0.1')
    further.on('error', () => undefined)
    await once(further, 'close')
    for (const socket of sockets) socket.destroy()
  })
})
