import type { Agent } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { longIt } from '@slipway/testing/forms'
import { describe, expect, it } from 'vitest'
import { IMAGE, MISSING_IMAGE, useEngine } from '../../../../test/support/engine/engine.ts'
import { as, newAgent, useTeam } from '../../../../test/support/people/team.ts'

const { docker, runtime, namespace } = useEngine()
const team = useTeam({ runtime, config: { namespace, images: [IMAGE, MISSING_IMAGE] } })
const owner = (...request: Parameters<ReturnType<typeof as>>) => as(team(), team().owner)(...request)
const containersOf = async (name: string) => {
  const all = await docker.listContainers({ all: true })
  return all.filter(({ Names }) => Names.includes(`/${namespace}-agent-${name}`))
}
const hasHome = async (name: string) =>
  (await docker.listVolumes()).Volumes.some(({ Name }) => Name === `${namespace}-agent-${name}-home`)

describe('creating an agent', () => {
  it('answers with the running agent when it was asked to wait', async () => {
    const response = await owner('POST /agents?wait=true', newAgent('first', { model: 'opus' }))
    expect(response.statusCode).toBe(201)
    expect(response.json()).toMatchObject({
      name: 'first',
      runtime: 'claude-code',
      model: 'opus',
      skipPermissions: true,
      image: null,
      cpus: 1,
      memoryMb: 256,
      state: 'running',
      reason: null,
      restartNeeded: false,
      owner: { email: 'owner@example.org' },
      relation: 'owner',
      isSystem: false,
    })
    const [container] = await containersOf('first')
    expect(container?.State).toBe('running')
    const options = { argv: ['cat', '/home/developer/.claude.json'], timeoutMs: 60_000, maxOutputBytes: 10_000 }
    const { stdout } = await runtime.run(container?.Id ?? '', options)
    expect(stdout.toString()).toContain('hasCompletedOnboarding')
  })

  it('answers at once otherwise, and the agent runs soon', async () => {
    const response = await owner('POST /agents', newAgent('second'))
    expect(response.json()).toMatchObject({ state: 'creating', reason: null })
    await until('it to run', async () => (await owner('GET /agents/second')).json<Agent>().state === 'running')
  })

  it('refuses a name that is taken, also by another user', async () => {
    await owner('POST /agents?wait=true', newAgent('taken'))
    const again = await as(team(), team().stranger)('POST /agents', newAgent('taken'))
    expect(again.json()).toMatchObject({ statusCode: 409, code: 'NAME_TAKEN' })
    expect(await containersOf('taken')).toHaveLength(1)
  })

  it('lets exactly one of many concurrent requests have a name', async () => {
    const answers = await Promise.all([1, 2, 3, 4].map(() => owner('POST /agents?wait=true', newAgent('wanted'))))
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([201, 409, 409, 409])
    expect(await containersOf('wanted')).toHaveLength(1)
  })

  it('with its image missing fails visibly, leaves nothing, and runs with another', async () => {
    const response = await owner('POST /agents?wait=true', newAgent('bare', { image: MISSING_IMAGE }))
    expect(response.statusCode).toBe(201)
    expect(response.json()).toMatchObject({ state: 'failed', reason: { code: 'image_missing' } })
    expect(response.json<Agent>().reason?.message).toContain(MISSING_IMAGE)
    expect(await containersOf('bare')).toEqual([])
    expect(await hasHome('bare')).toBe(false)

    const again = await owner('POST /agents/bare/start?wait=true')
    expect(again.json()).toMatchObject({ state: 'failed', reason: { code: 'image_missing' } })
    expect((await owner('PATCH /agents/bare', { image: null })).json()).toMatchObject({ image: null })
    expect((await owner('POST /agents/bare/start?wait=true')).json()).toMatchObject({ state: 'running', reason: null })
  })

  it('fails visibly when its name is taken on the engine, can be retried, and be deleted without touching what is there', async () => {
    const name = `${namespace}-agent-squatted`
    await docker.createContainer({ name, Image: IMAGE, Entrypoint: ['true'] })
    await docker.createVolume({ Name: `${name}-home` })
    const response = await owner('POST /agents?wait=true', newAgent('squatted'))
    expect(response.json()).toMatchObject({ state: 'failed', reason: { code: 'name_taken' } })
    expect((await owner('DELETE /agents/squatted')).statusCode).toBe(204)
    expect(await containersOf('squatted')).toHaveLength(1)
    expect(await hasHome('squatted')).toBe(true)

    await docker.getContainer(name).remove()
    await docker.getVolume(`${name}-home`).remove()
    const retried = await owner('POST /agents?wait=true', newAgent('squatted'))
    expect(retried.json()).toMatchObject({ state: 'running' })
  })

  // The tests before fail with their image missing, and with a name that is taken.
  longIt('fails visibly when the home cannot be prepared, and does not run then', async () => {
    await owner('POST /agents?wait=true', newAgent('locked'))
    const [container] = await containersOf('locked')
    const options = { argv: ['sh', '-c', 'rm -rf ~/.claude.json; chmod 500 ~'], timeoutMs: 60_000, maxOutputBytes: 100 }
    await runtime.run(container?.Id ?? '', options)
    const response = await owner('POST /agents/locked/restart?wait=true')
    expect(response.json()).toMatchObject({ state: 'failed', reason: { code: 'home_not_writable' } })
    expect(await containersOf('locked')).toEqual([])
    expect(await hasHome('locked')).toBe(true)
  })

  it('starts again when folders of its settings lead nowhere, or cannot be written', async () => {
    await owner('POST /agents?wait=true', newAgent('linked'))
    const [container] = await containersOf('linked')
    const sh = async (script: string): Promise<string> => {
      const options = { argv: ['sh', '-c', `cd; ${script}`], timeoutMs: 60_000, maxOutputBytes: 1000 }
      return (await runtime.run(container?.Id ?? '', options)).stdout.toString()
    }
    await sh(
      'rm -rf .codex .gemini .copilot .claude.json; ln -s gone .codex; echo mine > .gemini; mkdir -m 500 .copilot',
    )
    // A start that was cut off, and a pipe, which would block the start.
    await sh('mkfifo .claude.json.slipway-new')
    const restarted = await owner('POST /agents/linked/restart?wait=true')
    expect(restarted.json()).toMatchObject({ state: 'running', reason: null })
    expect(await sh('readlink .codex; cat .gemini; ls -A .copilot; stat -c %F .claude.json')).toBe(
      'gone\nmine\nregular file\n',
    )
    expect(await sh('find . -name "*.slipway-new"')).toBe('')
  })

  it('does not run commands that its fields may hold', async () => {
    const response = await owner('POST /agents', newAgent('hostile', { model: '$(touch /tmp/owned)' }))
    expect(response.statusCode).toBe(400)
  })
})

describe('deleting an agent', () => {
  it('removes its container, its home and its shares, and frees its name', async () => {
    const made = (await owner('POST /agents?wait=true', newAgent('doomed'))).json<Agent>()
    await owner('POST /agents/doomed/shares', { email: team().colleague.email })
    expect((await owner('DELETE /agents/doomed')).statusCode).toBe(204)
    expect((await owner('GET /agents/doomed')).statusCode).toBe(404)
    expect(await containersOf('doomed')).toEqual([])
    expect(await hasHome('doomed')).toBe(false)
    expect(await team().database.prisma.share.count({ where: { agentId: made.id } })).toBe(0)
    expect((await owner('DELETE /agents/doomed')).statusCode).toBe(404)

    const again = (await owner('POST /agents?wait=true', newAgent('doomed'))).json<Agent>()
    expect(again).toMatchObject({ state: 'running' })
    expect(again.id).not.toBe(made.id)
  })
})
