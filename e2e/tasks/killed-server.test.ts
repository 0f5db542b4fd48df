/** A server is killed once under all that it holds for tasks: nothing of it is lost, and nothing comes twice. */
import type {
  CodingSessionDiff,
  Conversation,
  ConversationMessage,
  ConversationTurns,
  Dialog,
  RunEvent,
  UsageReport,
  Worktree,
} from '@slipway/protocol'
import { disconnectAll, until } from '@slipway/testing'
import { longIt } from '@slipway/testing/forms'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser } from '../support/api.ts'
import { docker, runIn } from '../support/engine.ts'
import { useOwnServer } from '../support/own-server.ts'
import { begin, conversationOf, idle, send } from '../support/tasks/conversations.ts'
import { answer, asked, openDialogs } from '../support/tasks/dialogs.ts'
import { ASKED_MS, endedTask, eventsOf, openEvents, startTask, taskOf } from '../support/tasks/follow.ts'
import { agentWithModel, sh } from '../support/tasks/model.ts'
import { putStub, shellProvider } from '../support/tasks/stub.ts'
import { startValidation, taskDone, validated, verdictOf } from '../support/tasks/validations.ts'
import { openBash } from '../support/terminal/open-bash.ts'

const GATE = '/tmp/may-go-on'
const TALK_GATE = '/tmp/may-talk'
const LOG = '/home/developer/log.txt'
const COMMAND = 'sudo rm -rf /tmp/x'
/** A busy machine may take longer to the test of a task than a task has by default. */
const LONG = { timeout_seconds: 1_800 }

const own = useOwnServer()
const bash = (command: string) => ({ tool: 'Bash', input: { command, description: 'Do it' } })

describe('a server that is killed once', () => {
  /** The agent of the admin, with the real Claude Code, and that of another user, with the CLI of the tests. */
  let agent = ''
  let other = ''
  let user: Client
  let task = ''
  let seen: RunEvent[] = []
  let asking: Dialog
  let talk: Conversation
  let messages: ConversationMessage[] = []
  let queued = ''
  let inTree = ''
  let judged = ''
  let question: Dialog

  const sleeps = async (): Promise<boolean> => (await sh(user, other, 'ps -eo args')).includes('sleep 986\n')
  const queueOf = (id: string): Promise<ConversationMessage[]> => own.admin.ok('GET', `/conversations/${id}/queue`)

  const beginWithClaude = async (): Promise<void> => {
    agent = (
      await agentWithModel(own.admin, {
        '@write': [
          { say: 'First I write.', ...bash(`echo one >> ${LOG}`) },
          { ...bash(`echo two >> ${LOG}`), gate: GATE },
          { say: 'All done.' },
        ],
        '@clean': [bash(COMMAND), { say: 'All clean.' }],
        '@first': [{ say: 'First.', gate: TALK_GATE }],
        '@second': [{ say: 'Second.' }],
        '@third': [{ say: 'Third.' }],
      })
    ).name
    const page = await openEvents(own.admin)
    const { id, state } = await startTask(own.admin, { agent, prompt: '- @write two lines', ...LONG })
    expect(state).toBe('running')
    task = id
    page.subscribe(id, 0)
    const hasRun = (): boolean => page.events(id).some((event) => event.type === 'command' && event.state === 'ended')
    await until('the first command to end', hasRun, ASKED_MS)
    expect(page.received).toContainEqual(
      expect.objectContaining({ type: 'coding-agent:session:created', session: expect.objectContaining({ id }) }),
    )
    seen = page.events(id)

    const begun = await begin(own.admin, { agent, prompt: '@first', ...LONG })
    expect(begun).toMatchObject({ title: '@first', agent, state: 'active', turns: 1, queued: 0 })
    // Its session has a name from the first turn on.
    const isRunning = async () => {
      const now = await conversationOf(own.admin, begun.id)
      return now.activity === 'running' && now.cliSessionId !== null && now
    }
    talk = await until('the first turn to run', isRunning, ASKED_MS)
    for (const text of ['@second', '@third'])
      expect(await send(own.admin, begun.id, text)).toMatchObject({ state: 'queued' })
    messages = await queueOf(begun.id)
    await until('the news of the queue', () =>
      page.received.some(
        (event) =>
          event.type === 'conversation:changed' &&
          event.conversation.id === begun.id &&
          event.conversation.activity === 'running' &&
          event.conversation.queued === 2,
      ),
    )
    page.close()

    const clean = await startTask(own.admin, { agent, prompt: '@clean up', policy: 'ask', ...LONG })
    asking = await asked(own.admin, clean.id)
    const isWaiting = async (): Promise<boolean> => (await taskOf(own.admin, clean.id)).waitsFor === 'person'
    await until('the task to wait', isWaiting)
  }

  const beginWithStub = async (): Promise<void> => {
    user = await newUser(own.admin)
    other = (await user.agent({ runtime: 'bash', keepSeconds: 300 })).name
    await putStub(user, other, 'claude-code')
    judged = (await taskDone(user, { agent: other, provider: 'claude-code', prompt: '@cost' })).id
    await startValidation(user, judged, { command: 'echo begun; exec sleep 986' })
    await until('the command of the validation', sleeps)

    const terminal = await openBash(user, other)
    terminal.type('slipway ask confirm "Still there?" >answer.txt 2>&1; echo "code $?" >>answer.txt\r')
    const open = async () => (await user.ok<Dialog[]>('GET', '/dialogs?state=open'))[0] ?? false
    question = await until('the question of the command', open)

    await sh(
      user,
      other,
      `git config --global user.name Tester; git config --global user.email tester@example.org
       mkdir app && cd app && git init -q && echo one >code && git add -A && git commit -qm start && echo dirty >>code`,
    )
    const provider = await shellProvider(user)
    const prompt = 'echo two >>code; echo new >new; until [ -e ~/go-on ]; do sleep 0.1; done; echo Written.'
    const work = { agent: other, provider, prompt, cwd: 'app', worktree: 'always', ...LONG }
    inTree = (await startTask(user, work)).id
    const isBegun = async (): Promise<boolean> =>
      (await sh(user, other, 'cat .slipway/worktrees/*/new 2>/dev/null; true')).includes('new')
    await until('the work in the tree', isBegun)
    // As many as a user may have, and one more.
    const wait = { agent: other, provider: 'claude-code', prompt: '@wait', ...LONG }
    for (let count = 0; count < 2; count += 1) await startTask(user, wait)
    const last = await startTask(user, { ...wait, prompt: '@cost', queue: true })
    expect(last).toMatchObject({ state: 'queued', startedAt: null })
    queued = last.id
  }

  beforeAll(async () => {
    await Promise.all([beginWithClaude(), beginWithStub()])
    await own.end('SIGKILL')
    // The model answers and the second command runs while there is no server.
    const container = `${own.namespace}-agent-${agent}`
    await runIn(container, ['touch', GATE])
    await until('the second command', async () => (await runIn(container, ['cat', LOG])) === 'one\ntwo\n')
    await own.start()
    user = user.at(own.admin.baseUrl)
  })
  afterAll(disconnectAll)

  it('leaves the question of a program, which waits for its answer', async () => {
    expect(await user.ok<Dialog[]>('GET', '/dialogs?state=open')).toEqual([question])
    await user.ok('POST', `/dialogs/${question.id}/answer`, { value: true })
    await until('the answer', async () => (await sh(user, other, 'cat answer.txt')) === 'yes\ncode 0\n')
  })

  it('leaves a task of Claude Code, which goes on, and ends once with all of its events', async () => {
    expect(await endedTask(own.admin, task)).toMatchObject({
      ...{ state: 'completed', reason: 'completed', error: null, exitCode: 0, result: 'All done.' },
    })
    const all = await eventsOf(own.admin, task)
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => index + 1))
    expect(all.slice(0, seen.length)).toEqual(seen)
    expect(await eventsOf(own.admin, task, seen.length)).toEqual(all.slice(seen.length))
    const ended = all.flatMap((event) => (event.type === 'command' && event.state === 'ended' ? [event.command] : []))
    expect(ended).toEqual([`echo one >> ${LOG}`, `echo two >> ${LOG}`])
    expect(all.filter(({ type }) => type === 'result')).toHaveLength(1)
    expect(await sh(own.admin, agent, `cat ${LOG}`)).toBe('one\ntwo\n')
    // Each of the model's three answers has one token of input.
    const { items } = await own.admin.ok<UsageReport>('GET', '/coding-agents/usage?group=run')
    expect(items.filter(({ key }) => key === task)).toMatchObject([{ runs: 1, inputTokens: 3, runsWithoutCost: 0 }])
  })

  it('leaves the question of a task, which runs the command that a person makes of it', async () => {
    const id = asking.sessionId ?? ''
    expect(await openDialogs(own.admin, id)).toEqual([asking])
    expect(await taskOf(own.admin, id)).toMatchObject({ state: 'waiting', waitsFor: 'person' })
    const command = 'echo changed > /home/developer/changed.txt'
    await answer(own.admin, asking, { decision: 'allow', command })
    expect(await endedTask(own.admin, id)).toMatchObject({ reason: 'completed', result: 'All clean.', waitsFor: null })
    expect(await sh(own.admin, agent, 'cat changed.txt')).toBe('changed\n')
    const events = await eventsOf(own.admin, id)
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
    expect(events.filter(({ type }) => type === 'question' || type === 'answer')).toMatchObject([
      { type: 'question', requestId: asking.requestId },
      { type: 'answer', requestId: asking.requestId, decision: 'allow', by: own.admin.email },
    ])
  })

  it('leaves the messages of a conversation, which go on in their order, in one session of the CLI', async () => {
    expect(await queueOf(talk.id)).toEqual(messages)
    await sh(own.admin, agent, `touch ${TALK_GATE}`)
    const done = await idle(own.admin, talk.id, 3)
    expect(done).toMatchObject({ state: 'active', error: null, cliSessionId: talk.cliSessionId })
    const { items } = await own.admin.ok<ConversationTurns>('GET', `/conversations/${talk.id}/messages`)
    expect(items.map(({ run }) => run?.result)).toEqual(['First.', 'Second.', 'Third.'])
    // The CLI itself has each message once.
    const file = await sh(own.admin, agent, `cat .claude/projects/*/${talk.cliSessionId}.jsonl`)
    const prompts = file.split('\n').filter((line) => line.includes('"type":"user"'))
    for (const text of ['@first', '@second', '@third'])
      expect(prompts.filter((line) => line.includes(`"${text}"`))).toHaveLength(1)
  })

  it('interrupts a validation, says so, ends its command, and can validate again', async () => {
    expect(await verdictOf(user, judged)).toMatchObject({
      ...{ state: 'not_verified', reason: 'interrupted', kind: 'command' },
    })
    expect(await taskOf(user, judged)).toMatchObject({ validation: 'not_verified' })
    await until('the end of the command', async () => !(await sleeps()))
    expect(await validated(user, judged, { command: 'true' })).toMatchObject({ state: 'passed' })
  })

  it('leaves a worktree, which is kept with its changes, and a task in line, which starts when there is room', async () => {
    expect(await taskOf(user, queued)).toMatchObject({ state: 'queued' })
    await sh(user, other, 'touch go-on')
    expect(await endedTask(user, inTree)).toMatchObject({
      ...{ reason: 'completed', changesDetected: true, filesChanged: 2 },
    })
    const trees = (): Promise<Worktree[]> => user.ok('GET', `/agents/${other}/worktrees`)
    const kept = await until('the worktree to be kept', async () => {
      const [tree] = await trees()
      return tree?.state === 'kept' && tree
    })
    expect(kept).toMatchObject({ sessionId: inTree, repository: '/home/developer/app' })
    const { files } = await user.ok<CodingSessionDiff>('GET', `/coding-agents/sessions/${inTree}/diff`)
    expect(files.map(({ path }) => path)).toEqual(['code', 'new'])
    expect(await sh(user, other, `cat app/code; cat ${kept.path}/code`)).toBe('one\ndirty\none\ntwo\n')
    expect(await endedTask(user, queued)).toMatchObject({ reason: 'completed', result: 'All.' })
  })
})

// `backend/test/faults/tasks.test.ts` kills and replaces servers at every step; `custom/server.test.ts` continues a
// task, too.
longIt(
  'a task of an API token stays active over a restart of its server in order, and over a second server that is killed',
  async () => {
    const agent = await agentWithModel(own.admin, [
      { say: 'I begin.', tool: 'Bash', input: { command: 'echo begun', description: 'Begin' } },
      { say: 'All done.', gate: GATE },
    ])
    const container = `${own.namespace}-agent-${agent.name}`
    // A program's token may run tasks, and open no terminal.
    const { token } = await own.admin.apiToken('tasks:read', 'tasks:write')
    const program = own.admin.with(token)
    const { id } = await startTask(program, { agent: agent.name, prompt: 'begin' })
    const lastSeq = async (): Promise<number> => (await taskOf(own.admin, id)).lastSeq
    await until('the command', async () => (await lastSeq()) >= 3)
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      await own.end(signal)
      await own.start()
      await until('the task to be taken up', async () => (await lastSeq()) >= 3)
      expect(await taskOf(own.admin, id)).toMatchObject({ state: 'running', reason: null })
    }
    await runIn(container, ['touch', GATE])
    expect(await endedTask(own.admin, id)).toMatchObject({ reason: 'completed', result: 'All done.' })
    const all = await eventsOf(own.admin, id)
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => index + 1))
    expect(all.filter((event) => event.type === 'command' && event.state === 'ended')).toHaveLength(1)
  },
)

// `backend/src/modules/runs/ledger/ledger.test.ts`, “gets what a run has used that no backend holds”.
longIt('a task whose container dies while there is no server keeps what it has used', async () => {
  const { name } = await agentWithModel(own.admin, [
    { say: 'I begin.', tool: 'Bash', input: { command: 'echo begun', description: 'Begin' } },
    { say: 'Too late.', gate: '/tmp/never' },
  ])
  const { id } = await startTask(own.admin, { agent: name, prompt: 'begin' })
  await until('the command', async () => (await taskOf(own.admin, id)).lastSeq >= 3)
  await own.end('SIGKILL')
  await docker.getContainer(`${own.namespace}-agent-${name}`).kill()
  await own.start()
  const again = own.admin
  const task = await endedTask(again, id)
  expect(task).toMatchObject({ state: 'failed', reason: 'container_stopped', costEstimated: true })
  const { items } = await again.ok<UsageReport>('GET', '/coding-agents/usage?group=run')
  // Claude printed no result, so its message counts.
  expect(items.filter(({ key }) => key === id)).toMatchObject([{ inputTokens: 1, costUsd: task.costUsd }])
})
