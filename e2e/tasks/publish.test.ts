/** The work of the real Claude Code on a branch, in a bare repository, and in a pull request by the real `gh`. */
import { readFileSync } from 'node:fs'
import type { CommittedChanges, Publication, PullRequest } from '@slipway/protocol'
import { beforeAll, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../support/api.ts'
import { endedTask, refusalOf, startTask } from '../support/tasks/follow.ts'
import { agentWithModel, type Script, sh } from '../support/tasks/model.ts'

const HOST = readFileSync(new URL('../support/agent/github-host.mjs', import.meta.url))
const PORT = 9510
const TOKEN = 'ghp_of-the-tests-0123456789abcdef'
const REMOTE = 'https://github.localhost/harbour/api.git'
const REPOSITORY = `git init -q --bare -b main remote.git && git clone -q remote.git repo && cd repo
  git config user.name Tester && git config user.email tester@example.org
  echo one >code && git add -A && git commit -qm start && git push -q origin HEAD:main && git remote set-head origin main
  git remote set-url origin ${REMOTE}`

const SCRIPT: Script = {
  '@add': [
    { tool: 'Write', input: { file_path: '/home/developer/repo/new', content: '1\n' } },
    { say: 'Added the new file.' },
  ],
  '@say': [{ say: 'Nothing to do.' }],
}

let owner: Client
let agent = ''

beforeAll(async () => {
  owner = await newUser(await signInAdmin())
  agent = (await agentWithModel(owner, SCRIPT)).name
  await sh(owner, agent, REPOSITORY)
  await owner.upload(agent, 'github-host.mjs', HOST)
  await sh(
    owner,
    agent,
    `: >host.log; setsid node github-host.mjs host.log ${PORT} >host.out 2>&1 & n=0
    until curl -s -o host.up http://127.0.0.1:${PORT}/; do n=$((n+1)); [ $n -lt 200 ] || exit 1; sleep 0.1; done; : >host.log`,
  )
})

const worked = async (prompt: string, resume?: string): Promise<string> => {
  const where = resume === undefined ? { cwd: 'repo' } : { resume }
  return (await endedTask(owner, (await startTask(owner, { agent, prompt, ...where })).id)).id
}
const pathOf = (id: string): string => `/coding-agents/sessions/${id}/publication`
const look = (id: string): Promise<Publication> => owner.ok('GET', pathOf(id))
const commit = (id: string, branch: string): Promise<CommittedChanges> =>
  owner.ok('POST', `${pathOf(id)}/commit`, { branch, message: 'Add a file' })
/** Opens or changes a pull request, while the agent's way to the host is a proxy. Claude Code would ask its model there, too. */
const propose = async (
  id: string,
  body: object,
): Promise<{ status: number; body: PullRequest & { message: string } }> => {
  const proxy = `/agents/${agent}/variables/HTTP_PROXY`
  await owner.ok('PUT', proxy, { value: `http://127.0.0.1:${PORT}`, secret: false })
  const answer = await owner.call<PullRequest & { message: string }>('POST', `${pathOf(id)}/pull-request`, body)
  await owner.ok('DELETE', proxy)
  return answer
}
const atRemote = (branch: string): Promise<string> => sh(owner, agent, `git --git-dir=remote.git rev-parse ${branch}`)
const requests = async () =>
  (await sh(owner, agent, 'cat host.log'))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { method: string; path: string; token: string; body: string })

/** The first task, and what was committed of it. */
let id = ''
let made: CommittedChanges

it('is committed to a new branch, and pushed with what the agent has for the remote', async () => {
  id = await worked('Work, please: @add')
  const found = await look(id)
  expect(found).toMatchObject({
    ...{ branch: 'main', base: 'main', uncommitted: 1, ahead: 0, pushed: true, pullRequest: null },
    remote: { name: 'origin', url: REMOTE, hasPullRequests: true },
    suggested: { title: 'Added the new file', message: 'Added the new file\n\nAdded the new file.' },
  })
  made = await commit(id, found.suggested.branch)
  // Without a way to the host nothing is pushed, and the message says what git said.
  const refused = await owner.call<{ code: string; message: string }>('POST', `${pathOf(id)}/push`, made)
  expect([refused.status, refused.body.code]).toEqual([409, 'REMOTE_REFUSED'])
  expect(refused.body.message).toContain('github.localhost')

  const aliases = {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'url./home/developer/remote.git.insteadOf',
    GIT_CONFIG_VALUE_0: REMOTE,
  }
  for (const [name, value] of Object.entries(aliases))
    await owner.ok('PUT', `/agents/${agent}/variables/${name}`, { value, secret: false })

  await owner.ok('POST', `${pathOf(id)}/push`, made)
  expect((await atRemote(made.branch)).trim()).toBe(made.commit)
})

it('is proposed as a draft with the token of the agent, and the next turn changes its text', async () => {
  const { branch } = made
  const proposal = { branch, base: 'main', title: 'Add a file', body: '--body of @/etc/passwd' }
  expect(await refusalOf(owner, 'POST', `${pathOf(id)}/pull-request`, proposal)).toEqual([409, 'REMOTE_REFUSED'])
  await owner.ok('PUT', `/agents/${agent}/credentials/github-token`, { value: TOKEN })
  await owner.ok('PATCH', `/agents/${agent}`, { useGitToken: true })
  const { body: opened } = await propose(id, proposal)
  expect(opened).toMatchObject({ number: 1, draft: true, title: 'Add a file' })
  const after = await look(id)
  expect(after).toMatchObject({ branch, uncommitted: 0, ahead: 1, pushed: true, pullRequest: opened })
  expect(after.compareUrl).toBe(`https://github.localhost/harbour/api/compare/main...${branch}?expand=1`)

  const next = await worked('And @say', id)
  await sh(owner, agent, 'echo 2 >repo/other')
  expect(await look(next)).toMatchObject({ branch, uncommitted: 1, pullRequest: { number: 1 } })
  const again = await commit(next, branch)
  await owner.ok('POST', `${pathOf(next)}/push`, again)
  expect((await atRemote(branch)).trim()).toBe(again.commit)
  expect((await propose(next, { ...proposal, title: 'Add a better file' })).status).toBe(200)
  const sent = (await requests()).map(({ method, path, token, body }) => [method, path, token, body])
  const pulls = '/repos/harbour/api/pulls'
  const { title, body } = proposal
  expect(sent).toEqual([
    ['GET', pulls, `token ${TOKEN}`, ''],
    ['POST', pulls, `token ${TOKEN}`, JSON.stringify({ title, head: branch, base: 'main', body, draft: true })],
    ['GET', pulls, `token ${TOKEN}`, ''],
    ['PATCH', `${pulls}/1`, `token ${TOKEN}`, JSON.stringify({ title: 'Add a better file', body })],
  ])
})

it('is refused with the words of the host, and for a user who must not know of it', async () => {
  const last = await worked('@say')
  const { branch } = await commit(last, 'refused')
  const body = { branch, base: 'none', title: 'Add', body: '' }
  const answer = await propose(last, body)
  expect(answer.body.message).toBe('GitHub refused: Validation Failed: base does not exist')
  const stranger = await newUser(await signInAdmin())
  expect(await refusalOf(stranger, 'POST', `${pathOf(last)}/pull-request`, body)).toEqual([404, 'NOT_FOUND'])
})
