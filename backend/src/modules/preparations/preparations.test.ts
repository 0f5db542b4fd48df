/** Agents that begin with a repository, in real containers. */
import type { Agent, AuditEvent, CreateAgent, Preparation } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { GIT_HOST_HTTPS, gitHostScript, gitHostUrl } from '@slipway/testing/git-host'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { IMAGE, useEngine } from '../../../test/support/engine/engine.ts'
import { call } from '../../../test/support/people/people.ts'
import { as, newAgent, useTeam } from '../../../test/support/people/team.ts'
import { AgentService } from '../agents/service.ts'
import { NOTHING } from './repository.ts'

const { namespace, runtime, docker } = useEngine()
/** Another name of the same image. */
const OTHER_IMAGE = `docker.io/library/${IMAGE}`
const team = useTeam({ runtime, config: { namespace, images: [IMAGE, OTHER_IMAGE] } })
const owner = (what: Parameters<ReturnType<typeof as>>[0], body?: object) => as(team(), team().owner)(what, body)

/** A running agent with what it begins with. */
const beginning = async (name: string, body: Partial<CreateAgent>): Promise<Agent> => {
  const answer = await owner('POST /agents?wait=true', newAgent(name, body))
  expect(answer.statusCode, answer.body).toBe(201)
  expect(answer.json<Agent>().state).toBe('running')
  return answer.json<Agent>()
}
const look = async (name: string): Promise<Preparation> => {
  const { preparation } = (await owner(`GET /agents/${name}/preparation`)).json<{ preparation: Preparation }>()
  return preparation
}
const inState = (name: string, ...states: Preparation['state'][]): Promise<Preparation> =>
  until(`${name} to be ${states.join(' or ')}`, async () => {
    const now = await look(name)
    return states.includes(now.state) ? now : null
  })
const act = async (name: string, what: 'cancel' | 'retry'): Promise<Preparation> => {
  const answer = await owner(`POST /agents/${name}/preparation/${what}`)
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json<Preparation>()
}
/** A shell script in the agent, without the platform. */
const sh = async ({ id }: Agent, script: string): Promise<string> => {
  const container = (await runtime.list()).find(({ agentId }) => agentId === id)
  const argv = ['/bin/sh', '-ec', script]
  const options = { argv, timeoutMs: 60_000, maxOutputBytes: 1_000_000 }
  const { exitCode, stdout, stderr } = await runtime.run(container?.id ?? '', options)
  if (exitCode !== 0) throw new Error(`${script}: exit code ${exitCode}\n${stderr.toString()}`)
  return stdout.toString().trim()
}

/** Work trees of the host's repository. */
const MAKE = `printf 'one\\n' >code; mkdir .hooks
  printf '#!/bin/sh\\ntouch ~/hooked\\n' >.hooks/post-checkout && chmod +x .hooks/post-checkout
  printf '[core]\\n\\thooksPath = .hooks\\n\\tfsmonitor = touch ~/monitored\\n' >.gitconfig
  printf '* filter=evil\\n' >.gitattributes
  git config -f .gitmodules submodule.evil.path evil
  git config -f .gitmodules submodule.evil.url 'ext::sh -c "touch ~/sub"'
  git add -A; git update-index --add --cacheinfo 160000,1234567890123456789012345678901234567890,evil
  git commit -qm start; git tag v1
  git checkout -q -b feature/two; echo two >code; git commit -qam two; git checkout -q main`
const NO_HOST = /Failed to connect|Connection refused|Couldn't connect/

describe('an agent that begins with a repository', () => {
  let agent: Agent
  beforeAll(async () => {
    const repository = { url: gitHostUrl('api'), folder: 'project' }
    const setupCommand = 'test -e ok || exit 3; env | sort >../environment; pwd; cat code'
    agent = await beginning('cloned', { repository, setupCommand })
  })

  it('says what git said while the host does not answer', async () => {
    const failed = await inState('cloned', 'failed', 'ready')
    expect(failed).toMatchObject({
      ...{ state: 'failed', error: 'Git could not clone the repository.' },
      repository: { url: gitHostUrl('api'), folder: '/home/developer/project', isCloned: false, commit: null },
    })
    expect(failed.output).toMatch(NO_HOST)
    expect(failed.output).not.toContain('.slipway-clone')
    expect(await sh(agent, 'ls -A ~ | grep -c slipway-clone || :')).toBe('0')
  })

  it('is cloned when it is tried again, and nothing of the repository runs', async () => {
    await sh(agent, gitHostScript('api', MAKE))
    await act('cloned', 'retry')
    const failed = await inState('cloned', 'failed', 'ready')
    // The set-up command of this test fails the first time.
    expect(failed).toMatchObject({
      ...{ state: 'failed', error: 'The set-up command ended with exit code 3.', output: '' },
      repository: { isCloned: true, branch: 'main', commit: await sh(agent, 'git -C ~/project rev-parse HEAD') },
    })
    expect(await sh(agent, 'cd ~/project && cat code && git remote get-url origin && git status --porcelain')).toBe(
      `one\n${gitHostUrl('api')}`,
    )
    expect(await sh(agent, 'ls -A ~ | grep -E "hooked|monitored|sub|slipway-clone" || :')).toBe('')
  })

  it('is not cloned again for a set-up that is tried again, which gets no key', async () => {
    await owner('PATCH /agents/cloned', { useGitToken: true })
    await owner('PUT /agents/cloned/credentials/github-token', { value: 'ghp_of-the-test-0123456789' })
    await owner('PUT /agents/cloned/variables/PLAIN', { value: 'for programs', secret: false })
    await sh(agent, 'touch ~/project/ok; : >~/host/requests')
    await act('cloned', 'retry')
    expect(await inState('cloned', 'failed', 'ready')).toMatchObject({
      ...{ state: 'ready', error: null, output: '/home/developer/project\none' },
    })
    expect(await sh(agent, 'cat ~/host/requests')).toBe('')
    const environment = await sh(agent, 'cat ~/environment')
    expect(environment).toContain('PLAIN=for programs')
    expect(environment).not.toContain('ghp_of-the-test')
    expect((await owner('POST /agents/cloned/preparation/retry')).json()).toMatchObject({ code: 'WRONG_STATE' })
    expect((await owner('POST /agents/cloned/preparation/cancel')).json()).toMatchObject({ code: 'WRONG_STATE' })
  })

  it('is recorded with the address and the command, and each act is', async () => {
    const { items } = (await call(team().app, 'GET /audit?limit=200', { token: team().admin.token })).json<{
      items: AuditEvent[]
    }>()
    const of = items.filter(({ target }) => target?.name === 'cloned')
    expect(of.find(({ action }) => action === 'agent.created')?.detail).toMatchObject({
      repository: gitHostUrl('api'),
      setupCommand: expect.stringContaining('test -e ok') as string,
    })
    expect(of.filter(({ action }) => action === 'preparation.retried')).toHaveLength(2)
  })
})

describe('the clone', () => {
  let agent: Agent
  beforeAll(async () => {
    agent = await beginning('refs', { repository: { url: gitHostUrl('api'), ref: 'v1' } })
    await inState('refs', 'failed')
    await sh(agent, gitHostScript('api', MAKE, 'a-password'))
  })
  /** Begins again with another repository. */
  const again = async (change: object): Promise<Preparation> => {
    const data = { ...change, isCloned: false, state: 'failed' }
    await team().database.prisma.agentPreparation.update({ where: { agentId: agent.id }, data })
    await act('refs', 'retry')
    return inState('refs', 'failed', 'ready')
  }

  it('checks out a tag, or a branch', async () => {
    expect(await again({})).toMatchObject({ state: 'ready', repository: { branch: null } })
    const branch = await again({ ref: 'feature/two', folder: 'two' })
    expect(branch).toMatchObject({ state: 'ready', repository: { branch: 'feature/two', ref: 'feature/two' } })
    expect(await sh(agent, 'cat ~/api/code ~/two/code')).toBe('one\ntwo')
  })

  it('names a branch that is not there, and a repository that is not there', async () => {
    expect((await again({ ref: 'none', folder: 'three' })).output).toContain('Remote branch none not found')
    const missing = await again({ ref: null, url: gitHostUrl('missing'), folder: 'four' })
    expect(missing.output).toContain('not found')
  })

  it('never touches a folder that was there before', async () => {
    await sh(agent, 'mkdir ~/mine; echo 1 >~/mine/file; ln -s /tmp ~/link')
    for (const folder of ['mine', 'link'])
      expect((await again({ url: gitHostUrl('api'), folder })).error).toContain('the name of the folder')
    expect(await sh(agent, 'ls -A ~/mine /tmp | grep -c code || :')).toBe('0')
  })

  it('of an empty repository has no commit', async () => {
    await sh(agent, 'git init -q --bare -b main ~/host/empty.git')
    expect(await again({ url: gitHostUrl('empty'), folder: 'empty' })).toMatchObject({
      ...{ state: 'ready', repository: { commit: null, branch: 'main' } },
    })
  })

  it('of a private repository signs in with the token in force, and keeps none', async () => {
    await owner('PATCH /agents/refs', { useGitToken: true })
    await owner('PUT /agents/refs/credentials/git-token', { value: 'a-password', address: GIT_HOST_HTTPS })
    // The certificate is of the test's own.
    await sh(agent, 'git config --global http.sslVerify false; : >~/host/requests')
    const cloned = await again({ url: `${GIT_HOST_HTTPS}/private/api.git`, folder: 'private' })
    expect(cloned).toMatchObject({ state: 'ready', error: null })
    expect(await sh(agent, 'grep -c "git-upload-pack git$" ~/host/requests')).not.toBe('0')
    expect(await sh(agent, 'grep -rl a-password ~/private ~/.gitconfig || :')).toBe('')
    await sh(agent, 'git config --global --unset http.sslVerify; rm -rf ~/private')
    await owner('DELETE /agents/refs/credentials/git-token')
  })

  it('asks for no password, and says what a private repository needs', async () => {
    const refused = await again({ url: gitHostUrl('api', 'private'), folder: 'private' })
    expect(refused.error).toContain('If the repository is private')
    expect(refused.output).toMatch(/could not read Username|Authentication failed/)
  })
})

describe('what a repository offers', () => {
  const DEVCONTAINER = {
    image: 'docker.example.org/other:1',
    containerEnv: { PORT: '3000', LD_PRELOAD: '/tmp/evil.so' },
    postCreateCommand: { shell: 'echo "$PORT $LD_PRELOAD" >~/one', program: ['touch', 'two words'] },
    forwardPorts: [3000],
  }
  const make = `mkdir .devcontainer; printf '// Ours\\n%s\\n' '${JSON.stringify(DEVCONTAINER)}' >.devcontainer/devcontainer.json
    git add -A; git commit -qm start`
  let agent: Agent
  beforeAll(async () => {
    const setupCommand = 'cat ~/one; ls'
    agent = await beginning('offers', { repository: { url: gitHostUrl('api') }, setupCommand })
    await inState('offers', 'failed')
    await sh(agent, gitHostScript('api', make))
    await act('offers', 'retry')
  })
  const confirm = (body: object) => owner('POST /agents/offers/preparation/confirm', body)
  const all = { image: true, containerEnv: true, postCreateCommand: true }
  let offered: Preparation['offer']

  it('is shown, and nothing of it has run before a user has decided', async () => {
    const waiting = await inState('offers', 'confirming', 'failed', 'ready')
    expect(waiting).toMatchObject({
      ...{ state: 'confirming', confirmed: null },
      offer: {
        ...{ path: '.devcontainer/devcontainer.json', problem: null, forwardPorts: [3000], unused: [] },
        image: { name: DEVCONTAINER.image, isAllowed: false },
        containerEnv: [
          { name: 'PORT', value: '3000', problem: null },
          { name: 'LD_PRELOAD', problem: expect.stringContaining('Only the owner') as string },
        ],
        postCreateCommand: [
          { name: 'shell', command: DEVCONTAINER.postCreateCommand.shell },
          { name: 'program', command: DEVCONTAINER.postCreateCommand.program },
        ],
      },
    })
    expect(await sh(agent, 'ls ~')).toBe('api\nhost')
    expect((await owner('GET /agents/offers/variables')).json()).toMatchObject({ items: [] })
    for (const body of [{}, { ...all, more: true }, { ...all, image: 'yes' }])
      expect((await confirm(body)).statusCode).toBe(400)
  })

  it('is used as far as it was confirmed, before the set-up command', async () => {
    expect((await confirm(all)).json()).toMatchObject({ state: 'waiting', confirmed: all })
    const ready = await inState('offers', 'ready', 'failed')
    expect(ready).toMatchObject({ state: 'ready', error: null, output: '3000 \ntwo words' })
    offered = ready.offer
    expect((await owner('GET /agents/offers/variables')).json()).toMatchObject({
      items: [{ name: 'PORT', value: '3000', secret: false }],
    })
    // The image is not one of the platform's.
    expect((await owner('GET /agents/offers')).json()).toMatchObject({ image: null, restartNeeded: false })
    expect((await confirm(all)).json()).toMatchObject({ code: 'WRONG_STATE' })
  })

  it('is not read if the request says so', async () => {
    const change = { devcontainer: 'ignore', folder: 'ignored', isCloned: false, offer: NOTHING, confirmed: NOTHING }
    const data = { ...change, state: 'failed' }
    await team().database.prisma.agentPreparation.update({ where: { agentId: agent.id }, data })
    await act('offers', 'retry')
    expect(await inState('offers', 'ready', 'failed', 'confirming')).toMatchObject({ state: 'ready', offer: null })
  })

  it('has its set-up in the image that was confirmed, and waits for a decision again if the restart is refused', async () => {
    const offer = { ...offered, image: { name: OTHER_IMAGE, isAllowed: true } }
    const change = { state: 'confirming', offer, confirmed: NOTHING }
    await team().database.prisma.agentPreparation.update({ where: { agentId: agent.id }, data: change })
    const refusing = vi.spyOn(AgentService.prototype, 'restart').mockRejectedValueOnce(new Error('fault'))
    expect((await confirm({ ...all, containerEnv: false })).statusCode).toBe(500)
    refusing.mockRestore()
    expect(await look('offers')).toMatchObject({ state: 'confirming', confirmed: null })
    await owner('PATCH /agents/offers', { image: IMAGE })
    expect((await confirm({ ...all, containerEnv: false })).json()).toMatchObject({ state: 'waiting' })
    expect(await inState('offers', 'ready', 'failed')).toMatchObject({ state: 'ready', error: null })
    expect((await owner('GET /agents/offers')).json()).toMatchObject({ image: OTHER_IMAGE, restartNeeded: false })
    const container = (await runtime.list()).find(({ agentId }) => agentId === agent.id)
    expect((await docker.getContainer(container!.id).inspect()).Config.Image).toBe(OTHER_IMAGE)
  })
})

describe('a clone that goes on', () => {
  let agent: Agent
  beforeAll(async () => {
    agent = await beginning('held', { repository: { url: gitHostUrl('api', 'held') } })
    await inState('held', 'failed')
    await sh(agent, gitHostScript('api', MAKE))
  })

  it('is cancelled with all its processes and files, and can be tried again', async () => {
    await act('held', 'retry')
    const asked = (): Promise<string> => sh(agent, 'grep -c /git-upload-pack ~/host/requests || :')
    await until('the clone to be held', async () => Number(await asked()) > 0)
    expect(await look('held')).toMatchObject({ state: 'cloning', error: null })
    expect(await act('held', 'cancel')).toMatchObject({ state: 'cancelled', error: null })
    await until('its processes to end', async () => (await sh(agent, 'pgrep -c -f [g]it-remote-http || :')) === '0')
    await until('its files to go', async () => (await sh(agent, 'ls -A ~ | grep -c slipway-clone || :')) === '0')
    expect(await look('held')).toMatchObject({ state: 'cancelled' })
    await act('held', 'retry')
    await sh(agent, 'touch ~/host/go')
    expect(await inState('held', 'ready', 'failed')).toMatchObject({ state: 'ready', error: null })
    expect(await sh(agent, 'cat ~/api/code')).toBe('one')
  })
})
