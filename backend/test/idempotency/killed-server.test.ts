// In the short form requests.test.ts goes on with a request that was never answered, and killed-exec.test.ts kills a server under one.
import '@slipway/testing/long'
import { rmSync } from 'node:fs'
import type { Agent } from '@slipway/protocol'
import { newDataDir, until } from '@slipway/testing'
import { afterAll, describe, expect, it } from 'vitest'
import { IMAGE, useEngine } from '../support/engine/engine.ts'
import { ServerProcess } from '../support/server/server-process.ts'
import { newAgent } from '../support/people/team.ts'

const { docker, namespace } = useEngine()
const folder = newDataDir()
let server: ServerProcess | null = null
afterAll(async () => {
  await server?.kill()
  rmSync(folder, { recursive: true, force: true })
})

const start = async (): Promise<ServerProcess> => {
  server = await ServerProcess.start({ SLIPWAY_NAMESPACE: namespace, SLIPWAY_IMAGES: IMAGE, SLIPWAY_DATA_DIR: folder })
  return server
}
/** A CI job's idempotency keys belong to its API token, which outlives the server. */
const create = (to: ServerProcess, name: string, token: string) =>
  to.call('POST', '/agents?wait=true', newAgent(name), {
    authorization: `Bearer ${token}`,
    'idempotency-key': `key-of-${name}`,
  })
const volumesOf = async (name: string): Promise<number> =>
  (await docker.listVolumes()).Volumes.filter(({ Name }) => Name.startsWith(`${namespace}-agent-${name}`)).length

describe('a server that is killed in the middle of a request with a key', () => {
  it('is asked again, and goes on with what it had made', async () => {
    const first = await start()
    const ci = { name: 'ci', scopes: ['agents:write'] }
    const { token } = (await first.call<{ token: string }>('POST', '/tokens', ci)).body
    expect((await create(first, 'whole', token)).body.state).toBe('running')
    const answer = create(first, 'half', token).catch(() => null)
    await until('the middle', async () => (await volumesOf('half')) > 0)
    await first.kill()
    await answer

    const second = await start()
    const [half, whole] = [await create(second, 'half', token), await create(second, 'whole', token)]
    expect(half).toMatchObject({ status: 201, body: { name: 'half', state: 'running' } })
    expect(await create(second, 'half', token)).toEqual(half)
    // The new server answers from what the earlier one had stored.
    expect(whole).toMatchObject({ status: 201, body: { name: 'whole', state: 'running' } })
    const { items } = (await second.call<{ items: Agent[] }>('GET', '/agents')).body
    expect(items.map(({ name, id }) => [name, id])).toEqual([
      ['half', half.body.id],
      ['whole', whole.body.id],
    ])
    expect((await second.call('POST', '/agents', newAgent('half'))).status).toBe(409)
    for (const { name } of items) await second.call('DELETE', `/agents/${name}`)
  })
})
