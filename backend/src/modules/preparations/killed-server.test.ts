import { rmSync } from 'node:fs'
import type { Preparation } from '@slipway/protocol'
import { newDataDir, until } from '@slipway/testing'
import { gitHostScript, gitHostUrl } from '@slipway/testing/git-host'
import { afterAll, describe, expect, it } from 'vitest'
import { IMAGE, useEngine } from '../../../test/support/engine.ts'
import { ServerProcess } from '../../../test/support/server-process.ts'
import { newAgent } from '../../../test/support/team.ts'

const { namespace, runtime } = useEngine()
const folder = newDataDir()
let server: ServerProcess
const start = async (): Promise<void> => {
  server = await ServerProcess.start({ SLIPWAY_NAMESPACE: namespace, SLIPWAY_IMAGES: IMAGE, SLIPWAY_DATA_DIR: folder })
}
afterAll(async () => {
  await server.kill()
  rmSync(folder, { recursive: true, force: true })
})

const PATH = '/agents/begins/preparation'
const inState = (state: Preparation['state']): Promise<Preparation> =>
  until(`the agent to be ${state}`, async () => {
    const { body } = await server.call<{ preparation: Preparation }>('GET', PATH)
    return body.preparation.state === state ? body.preparation : null
  })
const retry = async (): Promise<void> => expect((await server.call('POST', `${PATH}/retry`)).status).toBe(200)

describe('a server that is killed while it prepares an agent', () => {
  it('leaves a clone that the next one begins again, and a set-up that its user tries again', async () => {
    await start()
    const setupCommand = 'echo begun; touch ~/begun; until [ -e ~/on ]; do sleep 0.1; done; cat code'
    const body = newAgent('begins', { repository: { url: gitHostUrl('api', 'held') }, setupCommand })
    const { body: agent } = await server.call('POST', '/agents?wait=true', body)
    await inState('failed')
    const container = (await runtime.list()).find(({ agentId }) => agentId === agent.id)
    const sh = async (script: string): Promise<string> => {
      const options = { argv: ['/bin/sh', '-c', script], timeoutMs: 60_000, maxOutputBytes: 10_000 }
      return (await runtime.run(container?.id ?? '', options)).stdout.toString().trim()
    }
    await sh(gitHostScript('api', 'echo one >code; git add -A; git commit -qm start'))
    await retry()
    const asked = async (): Promise<number> => Number(await sh('grep -c /git-upload-pack ~/host/requests'))
    await until('the clone to be held', async () => (await asked()) > 0)
    const before = await asked()
    await server.kill()

    await start()
    await until('another clone', async () => (await asked()) > before)
    expect(await inState('cloning')).toMatchObject({ error: null, repository: { isCloned: false } })
    await sh('touch ~/host/go')
    await inState('setting_up')
    await until('the set-up', async () => (await sh('ls ~/begun')) !== '')
    expect(await sh('ls -A ~ | grep -c slipway-clone')).toBe('0')
    await server.kill()

    await start()
    expect((await inState('failed')).error).toContain('The server stopped while the set-up ran.')
    await sh('touch ~/on')
    await retry()
    expect(await inState('ready')).toMatchObject({ error: null, output: 'begun\none', repository: { branch: 'main' } })
  })
})
