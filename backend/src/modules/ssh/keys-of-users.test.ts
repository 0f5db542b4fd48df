/** A user's key, from the page of their account to a connection, and its end. */
import { once } from 'node:events'
import type { SshKey, SshServer } from '@slipway/protocol'
import ssh2, { type ConnectConfig } from 'ssh2'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { MemoryEngine } from '../../../test/support/engine/memory-engine.ts'
import { newPair } from '../../../test/support/ssh/memory-keys.ts'
import { as, newAgent, useTeam } from '../../../test/support/people/team.ts'
import { fingerprintOf } from '../identity/ssh-keys/public-key.ts'

const team = useTeam({ runtime: new MemoryEngine().runtime, config: { sshPort: 0 } })
const owner = (...request: Parameters<ReturnType<typeof as>>) => as(team(), team().owner)(...request)
const client = new ssh2.Client()

beforeAll(() => owner('POST /agents?wait=true', newAgent('worker')))
afterEach(() => void client.end())

it('a key that is added lets its user in where the API says, and when it is removed its connection closes', async () => {
  const pair = newPair('ed25519')
  const added = await owner('POST /ssh-keys', { name: 'laptop', publicKey: `${pair.public} ada@laptop` })
  const { id, lastUsedAt } = added.json<SshKey>()
  expect([added.statusCode, lastUsedAt]).toEqual([201, null])
  const { address } = (await owner('GET /ssh')).json<SshServer>()
  let seen = ''
  const hostVerifier: ConnectConfig['hostVerifier'] = (key: Buffer) => {
    seen = fingerprintOf(key)
    return true
  }
  const ready = once(client, 'ready')
  client.connect({ host: '127.0.0.1', port: address!.port, username: 'worker', privateKey: pair.private, hostVerifier })
  await ready
  client.on('error', () => undefined)
  expect(seen).toBe(address?.fingerprint)
  const used = async () => (await owner('GET /ssh-keys')).json<{ items: SshKey[] }>().items[0]?.lastUsedAt
  await expect.poll(used).toBe(new Date(team().clock.now()).toISOString())

  const closed = once(client, 'close')
  expect((await owner(`DELETE /ssh-keys/${id}`)).statusCode).toBe(204)
  await closed
})
