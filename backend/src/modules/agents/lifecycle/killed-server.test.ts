import { rmSync } from 'node:fs'
import { newDataDir, until } from '@slipway/testing'
import { afterAll, describe, expect, it } from 'vitest'
import { IMAGE, useEngine } from '../../../../test/support/engine/engine.ts'
import { ServerProcess } from '../../../../test/support/server/server-process.ts'
import { newAgent } from '../../../../test/support/people/team.ts'

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
const leftOf = async (name: string): Promise<string[]> => {
  const containers = (await docker.listContainers({ all: true })).flatMap(({ Names }) =>
    Names.map((one) => one.slice(1)),
  )
  const volumes = (await docker.listVolumes()).Volumes.map(({ Name }) => Name)
  return [...containers, ...volumes].filter((one) => one.startsWith(`${namespace}-agent-${name}`))
}
/** The request ends with the server. */
const abandoned = (request: Promise<unknown>): void => void request.catch(() => undefined)

describe('a server that is killed', () => {
  it('in the middle of creations and deletions leaves nothing that cannot be finished', async () => {
    const first = await start()
    expect((await first.call('POST', '/agents?wait=true', newAgent('old'))).body.state).toBe('running')
    abandoned(first.call('POST', '/agents', newAgent('new')))
    abandoned(first.call('DELETE', '/agents/old'))
    // `new` has its home, or `old` no longer has its container.
    await until('the middle', async () => (await leftOf('new')).length > 0 || (await leftOf('old')).length < 2)
    await first.kill()

    const second = await start()
    for (const name of ['new', 'old']) {
      const { status, body } = await second.call('GET', `/agents/${name}`)
      // If the kill came before the row was written, or after it was deleted, nothing else is left.
      if (status === 404) expect(await leftOf(name)).toEqual([])
      else if (body.state === 'failed') expect(body.reason).not.toBeNull()
    }
    const started = await second.call('POST', '/agents/new/start?wait=true')
    if (started.status !== 404) expect(started.body).toMatchObject({ state: 'running', reason: null })
    for (const name of ['new', 'old']) {
      expect([204, 404]).toContain((await second.call('DELETE', `/agents/${name}`)).status)
      expect(await leftOf(name)).toEqual([])
      expect((await second.call('POST', '/agents?wait=true', newAgent(name))).body.state).toBe('running')
    }
    const system = await until('the system agent', async () => {
      const { body } = await second.call('GET', '/system-agent')
      return body.state === 'starting' || body.state === 'creating' ? null : body
    })
    expect(system.state).toBe('running')
  })
})
