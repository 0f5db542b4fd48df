import { rmSync } from 'node:fs'
import type { Preparation } from '@slipway/protocol'
import { newDataDir, until } from '@slipway/testing'
import { gitHostScript, gitHostUrl } from '@slipway/testing/git-host'
import { afterAll, describe, expect, it } from 'vitest'
import { IMAGE, useEngine } from '../../../test/support/engine/engine.ts'
import { ServerProcess } from '../../../test/support/server/server-process.ts'
import { newAgent } from '../../../test/support/people/team.ts'

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

const inState = (name: string, state: Preparation['state']): Promise<Preparation> =>
  until(`${name} to be ${state}`, async () => {
    const { body } = await server.call<{ preparation: Preparation }>('GET', `/agents/${name}/preparation`)
    return body.preparation.state === state ? body.preparation : null
  })
const retry = async (name: string): Promise<void> =>
  expect((await server.call('POST', `/agents/${name}/preparation/retry`)).status).toBe(200)

/** An agent whose host of repositories comes after its first try, and the shell in it. */
const begins = async (
  name: string,
  url: string,
  setupCommand: string,
): Promise<(script: string) => Promise<string>> => {
  const body = newAgent(name, { repository: { url }, setupCommand })
  const { body: agent } = await server.call('POST', '/agents?wait=true', body)
  await inState(name, 'failed')
  const container = (await runtime.list()).find(({ agentId }) => agentId === agent.id)
  const sh = async (script: string): Promise<string> => {
    const options = { argv: ['/bin/sh', '-c', script], timeoutMs: 60_000, maxOutputBytes: 10_000 }
    return (await runtime.run(container?.id ?? '', options)).stdout.toString().trim()
  }
  await sh(gitHostScript('api', 'echo one >code; git add -A; git commit -qm start'))
  await retry(name)
  return sh
}

describe('a server that is killed while it prepares agents', () => {
  it('leaves a clone that the next one begins again, and a set-up that its user tries again', async () => {
    await start()
    const setupCommand = 'echo begun; touch ~/begun; until [ -e ~/on ]; do sleep 0.1; done; cat code'
    const [inClone, inSetup] = await Promise.all([
      begins('clones', gitHostUrl('api', 'held'), 'cat code'),
      begins('sets-up', gitHostUrl('api'), setupCommand),
    ])
    const asked = async (): Promise<number> => Number(await inClone('grep -c /git-upload-pack ~/host/requests'))
    await until('the clone to be held', async () => (await asked()) > 0)
    const before = await asked()
    await until('the set-up', async () => (await inSetup('ls ~/begun')) !== '')
    await server.kill()

    await start()
    await until('another clone', async () => (await asked()) > before)
    expect(await inState('clones', 'cloning')).toMatchObject({ error: null, repository: { isCloned: false } })
    await inClone('touch ~/host/go')
    expect(await inState('clones', 'ready')).toMatchObject({
      error: null,
      output: 'one',
      repository: { branch: 'main' },
    })
    expect(await inClone('ls -A ~ | grep -c slipway-clone')).toBe('0')

    expect((await inState('sets-up', 'failed')).error).toContain('The server stopped while the set-up ran.')
    await inSetup('touch ~/on')
    await retry('sets-up')
    expect(await inState('sets-up', 'ready')).toMatchObject({
      error: null,
      output: 'begun\none',
      repository: { branch: 'main' },
    })
  })
})
