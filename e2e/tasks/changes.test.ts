/** What a task of the real Claude Code changed in a git repository. */
import type { CodingResult, CodingSession, CodingSessionDiff } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { beforeAll, expect, it } from 'vitest'
import { type Client, newUser } from '../support/api.ts'
import { runIn } from '../support/engine.ts'
import { useOwnServer } from '../support/own-server.ts'
import { endedTask, startTask, taskOf } from '../support/tasks/follow.ts'
import { agentWithModel, type Script, sh } from '../support/tasks/model.ts'

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

const own = useOwnServer()
let owner: Client
let agent = ''

beforeAll(async () => {
  owner = await newUser(own.admin)
  agent = (await agentWithModel(owner, SCRIPT)).name
  await owner.ok('PUT', `/agents/${agent}/variables/SOME_SECRET`, { value: SECRET, secret: true })
  await sh(owner, agent, REPOSITORY)
})

const diffOf = (id: string): Promise<CodingSessionDiff> => owner.ok('GET', `${SESSIONS}/${id}/diff`)
const start = (prompt: string, cwd = 'repo'): Promise<CodingSession> => startTask(owner, { agent, prompt, cwd })
const NOTHING_LEFT = `n=0; while ls /tmp | grep -q slipway-changes; do n=$((n+1)); [ $n -lt 100 ] || exit 1; sleep 0.1; done`

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
  await sh(owner, agent, NOTHING_LEFT)
})

it('the diff shows what has changed so far, and the whole of it after the server was killed', async () => {
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

it('a task that is ended has what it changed until then, also after its agent was deleted', async () => {
  const { id } = await start('@silent')
  await until('its file', async () => (await diffOf(id)).filesChanged === 1)
  await owner.ok('DELETE', `${SESSIONS}/${id}`)
  expect(await endedTask(owner, id)).toMatchObject({ reason: 'terminated', changesDetected: true, filesChanged: 1 })
  await owner.ok('DELETE', `/agents/${agent}?wait=true`)
  expect((await diffOf(id)).files).toMatchObject([{ path: 'kept', status: 'added' }])
})

it('a task that changes nothing says so, and one outside of a work tree says that it does not know', async () => {
  agent = (await agentWithModel(owner, SCRIPT)).name
  await sh(owner, agent, REPOSITORY)
  const none = await endedTask(owner, (await start('@say')).id)
  expect(none).toMatchObject({ changesDetected: false, filesChanged: 0, insertions: 0, deletions: 0 })
  const unknown = await endedTask(owner, (await start('@say', '.')).id)
  expect(unknown).toMatchObject({ changesDetected: null, filesChanged: null, insertions: null, deletions: null })
  expect(await diffOf(unknown.id)).toMatchObject({ changesDetected: null, files: [], truncated: false })
})
