import type { Agent } from '@slipway/protocol'
import { beforeAll, describe, expect, it } from 'vitest'
import { IMAGE, useEngine } from '../../../../../test/support/engine/engine.ts'
import { as, newAgent, systemAgentSettled, useTeam } from '../../../../../test/support/people/team.ts'
import { namesFor } from '../../../../runtime/docker/container/profile.ts'
import { UID_FIRST, UID_LAST } from './free.ts'

const { docker, runtime, namespace } = useEngine()
const team = useTeam({ runtime, config: { namespace, images: [IMAGE] } })
const owner = (...request: Parameters<ReturnType<typeof as>>) => as(team(), team().owner)(...request)
const names = namesFor(namespace)

const containerOf = async (name: string): Promise<string> =>
  (await docker.getContainer(names.container(name)).inspect()).Id
const sh = async (name: string, script: string): Promise<string> => {
  const options = { argv: ['sh', '-c', script], timeoutMs: 60_000, maxOutputBytes: 10_000 }
  return (await runtime.run(await containerOf(name), options)).stdout.toString()
}
const prisma = () => team().database.prisma

describe('the user id of an agent', () => {
  beforeAll(async () => {
    for (const name of ['one', 'two']) await owner('POST /agents?wait=true', newAgent(name))
    await systemAgentSettled(team())
  })

  it('is of no other agent, the system agent included', async () => {
    const ids = await Promise.all(['one', 'two', 'system'].map((name) => sh(name, 'id -u')))
    expect(new Set(ids).size).toBe(3)
    for (const id of ids.map(Number)) {
      expect(id).toBeGreaterThanOrEqual(UID_FIRST)
      expect(id).toBeLessThanOrEqual(UID_LAST)
    }
    const rows = await prisma().agent.findMany({ select: { name: true, uid: true } })
    for (const { name, uid } of rows) expect(await sh(name, 'id -un; id -u')).toBe(`developer\n${uid ?? ''}\n`)
  })

  it('stays with it when its container is made anew', async () => {
    const before = await sh('one', 'id -u; echo kept > ~/kept')
    const first = await containerOf('one')
    await owner('PATCH /agents/one', { memoryMb: 300 })
    const agent = (await owner('POST /agents/one/restart?wait=true')).json<Agent>()
    expect(agent).toMatchObject({ state: 'running', restartNeeded: false })
    expect(await containerOf('one')).not.toBe(first)
    expect(await sh('one', 'id -u; stat -c %u ~/kept; echo more >> ~/kept; cat ~/kept')).toBe(
      `${before}${before}kept\nmore\n`,
    )
  })

  it('is 1000 for an agent of an earlier version, whose container and home stay as they are', async () => {
    await prisma().agent.update({ where: { name: 'two' }, data: { uid: null } })
    await owner('POST /agents/two/stop?wait=true')
    await runtime.remove(await containerOf('two'))
    await docker.getVolume(names.home('two')).remove()
    const start = async (): Promise<string> => {
      expect((await owner('POST /agents/two/start?wait=true')).json()).toMatchObject({ state: 'running' })
      return containerOf('two')
    }
    const first = await start()
    expect(await sh('two', 'id; stat -c %u:%g ~')).toBe(
      'uid=1000(developer) gid=1000(developer) groups=1000(developer)\n1000:1000\n',
    )
    await owner('POST /agents/two/stop?wait=true')
    expect(await start()).toBe(first)
    expect((await owner('GET /agents/two')).json()).toMatchObject({ restartNeeded: false })
  })
})
