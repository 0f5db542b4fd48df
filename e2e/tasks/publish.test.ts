/** The work of the real Claude Code on a branch, in a bare repository, and in a pull request by the real `gh`. */
import type { CommittedChanges, Publication, PullFeedback, PullRequest, PullText } from '@slipway/protocol'
import { longIt } from '@slipway/testing/forms'
import { beforeAll, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../support/api.ts'
import { endedTask, refusalOf, startTask } from '../support/tasks/follow.ts'
import { leaveHost, reachHost, reachRemote, REMOTE, reviewWith, signIn, useGitHub } from '../support/tasks/github.ts'
import { agentWithModel, type Script, sh } from '../support/tasks/model.ts'

const TOKEN = 'ghp_of-the-tests-0123456789abcdef'
const SCRIPT: Script = {
  '@add': [
    { tool: 'Write', input: { file_path: '/home/developer/repo/new', content: '1\n' } },
    { say: 'Added the new file.' },
  ],
  '@auto': [
    { tool: 'Write', input: { file_path: '/home/developer/repo/auto', content: '1\n' } },
    { say: 'Added one more.' },
  ],
  '@say': [{ say: 'Nothing to do.' }],
}

let owner: Client
let agent = ''

beforeAll(async () => {
  owner = await newUser(await signInAdmin())
  agent = (await agentWithModel(owner, SCRIPT)).name
  await useGitHub(owner, agent)
})

const worked = async (prompt: string, resume?: string): Promise<string> => {
  const where = resume === undefined ? { cwd: 'repo' } : { resume }
  return (await endedTask(owner, (await startTask(owner, { agent, prompt, ...where })).id)).id
}
const pathOf = (id: string): string => `/coding-agents/sessions/${id}/publication`
const look = (id: string): Promise<Publication> => owner.ok('GET', pathOf(id))
const commit = (id: string, branch: string): Promise<CommittedChanges> =>
  owner.ok('POST', `${pathOf(id)}/commit`, { branch, message: 'Add a file' })
/** Asks the host, while the agent's way there is a proxy. Claude Code would ask its model there, too. */
const withHost = async <T>(ask: () => Promise<T>): Promise<T> => {
  await reachHost(owner, agent)
  const answer = await ask()
  await leaveHost(owner, agent)
  return answer
}
const propose = (id: string, body: object): Promise<{ status: number; body: PullRequest & { message: string } }> =>
  withHost(() => owner.call<PullRequest & { message: string }>('POST', `${pathOf(id)}/pull-request`, body))
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

  await reachRemote(owner, agent)
  await owner.ok('POST', `${pathOf(id)}/push`, made)
  expect((await atRemote(made.branch)).trim()).toBe(made.commit)
})

it('is proposed as a draft with the token of the agent, and the next turn changes its text', async () => {
  const { branch } = made
  const proposal = { branch, base: 'main', title: 'Add a file', body: '--body of @/etc/passwd' }
  expect(await refusalOf(owner, 'POST', `${pathOf(id)}/pull-request`, proposal)).toEqual([409, 'REMOTE_REFUSED'])
  await signIn(owner, agent, TOKEN)
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
  const text = await withHost(() => owner.ok<PullText>('GET', `${pathOf(next)}/pull-request`))
  expect(text).toMatchObject({ number: 1, title: 'Add a file' })
  expect(text.body).toMatch(/^--body of @\/etc\/passwd\n\nNothing to do\.\n\nThe task:\n\n> And @say\n\n<!-- slipway /)
  expect((await propose(next, { ...proposal, title: 'Add a better file' })).status).toBe(200)
  const sent = (await requests()).map(({ method, path, token, body }) => [method, path, token, body])
  const pulls = '/repos/harbour/api/pulls'
  const { title, body } = proposal
  expect(sent).toEqual([
    ['GET', pulls, `token ${TOKEN}`, ''],
    ['POST', pulls, `token ${TOKEN}`, JSON.stringify({ title, head: branch, base: 'main', body, draft: true })],
    // For the text, and for the change.
    ['GET', pulls, `token ${TOKEN}`, ''],
    ['GET', pulls, `token ${TOKEN}`, ''],
    ['PATCH', `${pulls}/1`, `token ${TOKEN}`, JSON.stringify({ title: 'Add a better file', body })],
  ])
})

it('gets comments and failing checks of its pull request, without what is resolved', async () => {
  await reviewWith(owner, agent, `Why one?\u001b[2J${'x'.repeat(3_000)}`)
  const found = await withHost(() => owner.ok<PullFeedback>('GET', `${pathOf(id)}/feedback`))
  expect(found).toMatchObject({
    ...{ number: 1, state: 'open', resolved: 1, truncated: false },
    comments: [{ id: 'r1', kind: 'line', author: 'grace', path: 'new', line: 1, isTrusted: true }],
    checks: { failing: [{ name: 'build', conclusion: 'failure', text: 'Two errors' }], passed: 0, pending: 0 },
  })
  // `gh` itself shows a control character as one that a terminal can print.
  expect(found.comments[0]?.text).toMatch(/^Why one\?\^\[\[2Jx+$/)
  expect(found.comments[0]?.text).toHaveLength(2_000)
  const asked = (await requests()).at(-1)
  expect(asked).toMatchObject({ method: 'POST', path: '/graphql', token: `token ${TOKEN}` })
  expect(JSON.parse(asked?.body ?? '')).toMatchObject({ variables: { owner: 'harbour', name: 'api', number: 1 } })
  const stranger = await newUser(await signInAdmin())
  expect(await refusalOf(stranger, 'GET', `${pathOf(id)}/feedback`)).toEqual([404, 'NOT_FOUND'])
})

// `backend/src/modules/publish/github.test.ts` has the words, the test before a user who must not know of it.
longIt('is refused with the words of the host, and for a user who must not know of it', async () => {
  const last = await worked('@say')
  const { branch } = await commit(last, 'refused')
  const body = { branch, base: 'none', title: 'Add', body: '' }
  const answer = await propose(last, body)
  expect(answer.body.message).toBe('GitHub refused: Validation Failed: base does not exist')
  const stranger = await newUser(await signInAdmin())
  expect(await refusalOf(stranger, 'POST', `${pathOf(last)}/pull-request`, body)).toEqual([404, 'NOT_FOUND'])
})

// `backend/src/modules/publish/auto-commit.test.ts` and `publish.test.ts` beside it, without a CLI.
longIt('is committed by itself once the owner of the agent wants that, and pushed by no one', async () => {
  await owner.ok('PATCH', `/agents/${agent}`, { autoCommit: true })
  const before = await look(await worked('@say'))
  const last = await worked('Now @auto')
  const subject = (): Promise<string> =>
    sh(owner, agent, 'git -C repo log -1 --format=%s; git -C repo status --porcelain')
  await expect.poll(subject).toBe('Added one more\n')
  expect(await look(last)).toMatchObject({ branch: before.branch, uncommitted: 0, pushed: false })
})
