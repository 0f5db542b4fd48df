/** What tasks changed in a git repository: one of the real Claude Code, and programs of a shell in its place. */
import type { CodingResult, CodingSession, CodingSessionDiff, DiscardedChanges } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { longIt } from '@slipway/testing/forms'
import { beforeAll, expect, it } from 'vitest'
import { type Client, newUser } from '../support/api.ts'
import { runIn } from '../support/engine.ts'
import { useServerToKill } from '../support/shared-server.ts'
import { ASKED_MS, endedTask, refusalOf, startTask, taskOf } from '../support/tasks/follow.ts'
import { agentWithModel, type Script, sh } from '../support/tasks/model.ts'
import { shellProvider } from '../support/tasks/stub.ts'

const SESSIONS = '/coding-agents/sessions'
const GATE = '/tmp/may-go-on'
const SECRET = 'a-secret-of-the-agent-4711'
const REPOSITORY = `git config --global user.name Tester; git config --global user.email tester@example.org
  mkdir repo && cd repo && git init -q && echo one >code && echo two >other && git add -A && git commit -qm start`

const write = (path: string, content: string) => ({
  tool: 'Write',
  input: { file_path: `/home/developer/repo/${path}`, content },
})
const command = (text: string) => ({ tool: 'Bash', input: { command: text, description: 'Work' } })

const SCRIPT: Script = {
  '@commit': [
    write('new', `line\n${SECRET}\n`),
    command('cd ~/repo && echo more >>code && git commit -qm work code'),
    { say: 'Done.' },
  ],
  '@wait': [write('first', '1\n'), { ...write('second', '2\n'), gate: GATE }, { say: 'Done.' }],
  '@silent': [write('kept', '1\n'), { say: 'Too late.', gate: '/tmp/never' }],
  '@say': [{ say: 'Nothing to do.' }],
}

/** What the first script does. */
const COMMIT = `{ echo line; printenv SOME_SECRET; } >new; echo more >>code && git commit -qm work code; echo Done.`

const own = useServerToKill()
let owner: Client
let agent = ''
/** The provider whose CLI is a shell. */
let shell = ''

beforeAll(async () => {
  owner = await newUser(own.admin)
  agent = (await agentWithModel(owner, SCRIPT)).name
  await owner.ok('PUT', `/agents/${agent}/variables/SOME_SECRET`, { value: SECRET, secret: true })
  await sh(owner, agent, REPOSITORY)
  shell = await shellProvider(owner)
})

const diffOf = (id: string): Promise<CodingSessionDiff> => owner.ok('GET', `${SESSIONS}/${id}/diff`)
const start = (prompt: string, cwd = 'repo'): Promise<CodingSession> => startTask(owner, { agent, prompt, cwd })
const startShell = (prompt: string, cwd = 'repo'): Promise<CodingSession> =>
  startTask(owner, { agent, provider: shell, prompt, cwd })

it('the result and the diff have its commit and its new file, and nothing that was changed before', async () => {
  await sh(owner, agent, 'cd repo && echo dirty >>other && echo mine >untracked')
  const body = { agent, prompt: '@commit', cwd: 'repo' }
  const result = await owner.ok<CodingResult>('POST', '/coding-agents/run', body)
  const counts = { changesDetected: true, filesChanged: 2, insertions: 3, deletions: 0 }
  expect(result).toMatchObject({ success: true, ...counts })
  expect(await taskOf(owner, result.id)).toMatchObject(counts)
  const diff = await diffOf(result.id)
  expect(diff).toMatchObject({ sessionId: result.id, live: false, truncated: false, ...counts })
  expect(diff.files.map(({ path, status, insertions }) => [path, status, insertions])).toEqual([
    ['code', 'modified', 1],
    ['new', 'added', 2],
  ])
  expect(diff.files[0]?.patch).toMatch(/^diff --git a\/code b\/code\n[^]*@@ -1 \+1,2 @@\n one\n\+more\n$/)
  expect(diff.files[1]?.patch).toMatch(/\+line\n\+\*\*\*\n$/)
  const stranger = await newUser(own.admin)
  const { status, body: refusal } = await stranger.call<{ code: string }>('GET', `${SESSIONS}/${result.id}/diff`)
  expect([status, refusal.code]).toEqual([404, 'NOT_FOUND'])
})

it('a review compares with now, and discards in the container, once the task has ended', async () => {
  await sh(owner, agent, 'rm repo/new')
  const { id } = await endedTask(owner, (await startShell(COMMIT)).id)
  const review = (since: string): Promise<CodingSessionDiff> => owner.ok('GET', `${SESSIONS}/${id}/diff?since=${since}`)
  const { tree, files, live, continues } = await review('turn')
  expect([live, continues, files.map(({ path }) => path)]).toEqual([false, false, ['code', 'new']])
  expect(files[1]?.patch).not.toContain(SECRET)
  const discard = { since: 'turn', tree, path: 'code', hunk: 0 }
  const done = await owner.ok<DiscardedChanges>('POST', `${SESSIONS}/${id}/diff/discard`, discard)
  const code = (): Promise<string> => sh(owner, agent, 'cat repo/code')
  expect((await code()).split('more')).toHaveLength(2)
  expect(await refusalOf(owner, 'POST', `${SESSIONS}/${id}/diff/discard`, discard)).toEqual([409, 'CHANGES_CONFLICT'])
  expect((await review('start')).files.map(({ path }) => path)).toEqual(['new'])
  expect((await diffOf(id)).files).toHaveLength(2)
  await owner.ok('POST', `${SESSIONS}/${id}/diff/undo`, done)
  expect((await code()).split('more')).toHaveLength(3)
  await sh(owner, agent, 'rm -r /tmp/slipway-changes-*')
  expect(await refusalOf(owner, 'POST', `${SESSIONS}/${id}/diff/undo`, done)).toEqual([410, 'CHANGES_GONE'])
  const kept = await review('turn')
  expect(kept).toMatchObject({ filesChanged: 2, reason: expect.stringContaining('no longer has') as string })
  expect(kept).not.toHaveProperty('tree')
})

// `backend/src/modules/runs/changes/review/review.test.ts` has reviews, also beside a task at work, without a CLI.
longIt('a review since the start has the tasks before it, and waits for none at work', async () => {
  const first = await endedTask(owner, (await start('@say')).id)
  await sh(owner, agent, 'echo between >repo/between')
  const { id } = await startTask(owner, { agent, prompt: '@silent', resume: first.id })
  const review = (task: string, since: string): Promise<CodingSessionDiff> =>
    owner.ok('GET', `${SESSIONS}/${task}/diff?since=${since}`)
  const paths = async (since: string): Promise<string[]> => (await review(id, since)).files.map(({ path }) => path)
  await until('its file', async () => (await paths('turn')).includes('kept'))
  expect(await review(id, 'turn')).toMatchObject({ live: true, continues: true, filesChanged: 1 })
  expect(await paths('start')).toEqual(['between', 'kept'])
  const earlier = await review(first.id, 'turn')
  expect(earlier).toMatchObject({ filesChanged: 0, reason: expect.stringContaining('A later task') as string })
  const tree = 'a'.repeat(40)
  const discard = { since: 'start', tree, path: 'between' }
  const inUse = await refusalOf(owner, 'POST', `${SESSIONS}/${first.id}/diff/discard`, discard)
  expect(inUse).toEqual([409, 'WRONG_STATE'])
  await owner.ok('DELETE', `${SESSIONS}/${id}`)
  await endedTask(owner, id)
  const now = await review(id, 'start')
  await owner.ok('POST', `${SESSIONS}/${id}/diff/discard`, { ...discard, tree: now.tree })
  expect(await paths('start')).toEqual(['kept'])
  await sh(owner, agent, 'rm repo/kept')
})

// The last test looks at the changes while the task is at work, `killed-server.test.ts` at those over a killed server.
longIt('the diff shows what has changed so far, and the whole of it after the server was killed', async () => {
  const { id } = await start('@wait')
  const paths = async (): Promise<string[]> => (await diffOf(id)).files.map(({ path }) => path)
  await until('the first file', async () => (await paths()).includes('first'))
  expect(await diffOf(id)).toMatchObject({ live: true, changesDetected: true, filesChanged: 1, insertions: 1 })
  expect(await taskOf(owner, id)).toMatchObject({ state: 'running', changesDetected: null })
  await own.end('SIGKILL')
  await runIn(`${own.namespace}-agent-${agent}`, ['touch', GATE])
  await own.start()
  owner = owner.at(own.admin.baseUrl)
  expect(await endedTask(owner, id)).toMatchObject({ reason: 'completed', changesDetected: true, filesChanged: 2 })
  expect(await paths()).toEqual(['first', 'second'])
})

it('a task that changes nothing says so, and one outside of a work tree says that it does not know', async () => {
  const none = await endedTask(owner, (await startShell('echo Nothing.')).id)
  expect(none).toMatchObject({ changesDetected: false, filesChanged: 0, insertions: 0, deletions: 0 })
  const unknown = await endedTask(owner, (await startShell('echo Nothing.', '.')).id)
  expect(unknown).toMatchObject({ changesDetected: null, filesChanged: null, insertions: null, deletions: null })
  expect(await diffOf(unknown.id)).toMatchObject({ changesDetected: null, files: [], truncated: false })
})

it('a task that is ended has what it changed until then, also after its agent was deleted', async () => {
  const { id } = await start('@silent')
  await until('its file', async () => (await diffOf(id)).filesChanged === 1, ASKED_MS)
  await owner.ok('DELETE', `${SESSIONS}/${id}`)
  expect(await endedTask(owner, id)).toMatchObject({ reason: 'terminated', changesDetected: true, filesChanged: 1 })
  await owner.ok('DELETE', `/agents/${agent}?wait=true`)
  expect((await diffOf(id)).files).toMatchObject([{ path: 'kept', status: 'added' }])
})
