/** Claude Code asks people before it acts, and gets their answers. */
import type { AuditEvent, Dialog } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { longIt } from '@slipway/testing/forms'
import { expect, it } from 'vitest'
import { useServerToKill } from '../../support/shared-server.ts'
import { answer, asked, openDialogs } from '../../support/tasks/dialogs.ts'
import { ASKED_MS, endedTask, eventsOf, openEvents, refusalOf, startTask, taskOf } from '../../support/tasks/follow.ts'
import { agentWithModel, sh } from '../../support/tasks/model.ts'

const own = useServerToKill()
const COMMAND = 'sudo rm -rf /tmp/x'

const bash = (command: string) => ({ tool: 'Bash', input: { command, description: 'Do it' } })

// `../killed-server.test.ts`, “leaves the question of a task”, and the news of an answer in `backend/src/modules/dialogs/ask.test.ts`.
longIt(
  'a task that wants to run a command waits over a killed server, and runs the command that a person makes of it',
  async () => {
    const agent = await agentWithModel(own.admin, [bash(COMMAND), { say: 'All done.' }])
    const { id, policy } = await startTask(own.admin, { agent: agent.name, prompt: 'clean up', policy: 'ask' })
    expect(policy).toBe('ask')
    const dialog = await asked(own.admin, id)
    expect(dialog).toMatchObject({
      ...{ agent: agent.name, sessionId: id, folder: '/home/developer', state: 'open', answer: null },
      question: { kind: 'approval', tool: 'Bash', command: COMMAND, editable: true },
    })
    await until('the task to wait', async () => (await taskOf(own.admin, id)).state === 'waiting')
    expect(await taskOf(own.admin, id)).toMatchObject({ waitsFor: 'person', completedAt: null })

    await own.end('SIGKILL')
    await own.start()

    const first = await openEvents(own.admin)
    expect(await openDialogs(own.admin, id)).toEqual([dialog])
    expect(await taskOf(own.admin, id)).toMatchObject({ state: 'waiting', waitsFor: 'person' })
    const command = 'echo changed > /home/developer/changed.txt'
    const answered = await answer(own.admin, dialog, { decision: 'allow', command })
    expect(answered).toMatchObject({
      state: 'answered',
      closedBy: own.admin.email,
      answer: { decision: 'allow', command },
    })

    expect(await endedTask(own.admin, id)).toMatchObject({ reason: 'completed', result: 'All done.', waitsFor: null })
    expect(await sh(own.admin, agent.name, 'cat changed.txt')).toBe('changed\n')
    const told = await until('the news of the answer', () =>
      first.received.find((event) => event.type === 'dialog:answered'),
    )
    expect(told).toEqual({ type: 'dialog:answered', dialog: answered })
    first.close()
    const events = await eventsOf(own.admin, id)
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
    expect(events.filter(({ type }) => type === 'question' || type === 'answer')).toMatchObject([
      { type: 'question', requestId: dialog.requestId },
      { type: 'answer', requestId: dialog.requestId, decision: 'allow', by: own.admin.email },
    ])
    const audit = await own.admin.ok<{ items: AuditEvent[] }>('GET', '/audit?action=dialog.answered')
    expect(audit.items).toMatchObject([
      { actor: { email: own.admin.email }, detail: { taskId: id, dialogId: dialog.id, decision: 'allow' } },
    ])
    expect(await refusalOf(own.admin, 'POST', `/dialogs/${dialog.id}/answer`, { decision: 'deny' })).toEqual([
      ...[409, 'DIALOG_CLOSED'],
    ])
  },
)

// `backend/src/modules/runs/people/people.test.ts`, “an answer is given again to a CLI that still asks after a restart”.
longIt('an answer that is given right before the server is killed arrives at Claude Code, once', async () => {
  const agent = await agentWithModel(own.admin, [bash('touch /home/developer/no'), { say: 'I stop.' }])
  const { id } = await startTask(own.admin, { agent: agent.name, prompt: 'touch', policy: 'ask' })
  const dialog = await asked(own.admin, id)
  await answer(own.admin, dialog, { decision: 'deny', reason: 'Not today.' })
  await own.end('SIGKILL')
  await own.start()
  expect(await endedTask(own.admin, id)).toMatchObject({ reason: 'completed', result: 'I stop.' })
  expect(await sh(own.admin, agent.name, 'ls')).not.toContain('no\n')
  const results = (await eventsOf(own.admin, id)).filter((event) => event.type === 'command' && event.state === 'ended')
  expect(results).toMatchObject([{ output: 'Not today.' }])
})

// `codex.test.ts` has it with another CLI.
longIt('a task that is ended while it asks withdraws its question, which takes no answer any more', async () => {
  const agent = await agentWithModel(own.admin, [bash(COMMAND), { say: 'All done.' }])
  const { id } = await startTask(own.admin, { agent: agent.name, prompt: 'clean up', policy: 'ask' })
  const dialog = await asked(own.admin, id)
  await own.admin.ok('DELETE', `/coding-agents/sessions/${id}`)
  expect(await endedTask(own.admin, id)).toMatchObject({ state: 'terminated' })
  await until('the question to be withdrawn', async () => (await openDialogs(own.admin, id)).length === 0)
  expect(await refusalOf(own.admin, 'POST', `/dialogs/${dialog.id}/answer`, { decision: 'allow' })).toEqual([
    ...[409, 'DIALOG_CLOSED'],
  ])
})

it('a question that is cancelled, and one of Claude itself, reach the model as what they are', async () => {
  const questions = [
    {
      question: 'Which colour?',
      header: 'Colour',
      multiSelect: false,
      options: [
        { label: 'Red', description: 'Warm' },
        { label: 'Blue', description: 'Cold' },
      ],
    },
  ]
  const agent = await agentWithModel(own.admin, [
    bash(COMMAND),
    { tool: 'AskUserQuestion', input: { questions } },
    { say: 'All done.' },
  ])
  const { id } = await startTask(own.admin, { agent: agent.name, prompt: 'ask', policy: 'ask' })
  const first = await asked(own.admin, id)
  expect(await own.admin.ok<Dialog>('DELETE', `/dialogs/${first.id}`)).toMatchObject({ state: 'cancelled' })
  const second = await until(
    'the second question',
    async () => (await openDialogs(own.admin, id)).find((dialog) => dialog.id !== first.id) ?? false,
    ASKED_MS,
  )
  expect(second.question).toMatchObject({
    kind: 'form',
    fields: [
      { name: 'Which colour?', label: 'Colour', type: 'select', options: [{ value: 'Red' }, { value: 'Blue' }] },
    ],
  })
  expect(await refusalOf(own.admin, 'POST', `/dialogs/${second.id}/answer`, { value: {} })).toEqual([400, 'VALIDATION'])
  await answer(own.admin, second, { value: { 'Which colour?': 'Blue' } })
  expect(await endedTask(own.admin, id)).toMatchObject({ reason: 'completed', result: 'All done.' })
  const results = (await eventsOf(own.admin, id)).flatMap((event) => (event.type === 'tool_result' ? [event.text] : []))
  expect(results.join('\n')).toContain('Blue')
})

// `rules.test.ts` has tasks of this policy with Claude Code, `codex.test.ts` this one with another CLI.
longIt('with tiers, what can be brought back runs at once, and people are asked about the rest', async () => {
  const agent = await agentWithModel(own.admin, [
    bash('touch /home/developer/kept'),
    bash('rm -rf /home/developer/lost'),
    { say: 'All done.' },
  ])
  await sh(own.admin, agent.name, 'mkdir /home/developer/lost')
  const { id } = await startTask(own.admin, { agent: agent.name, prompt: 'tidy', policy: 'tiers' })
  const dialog = await asked(own.admin, id)
  expect(dialog.question).toMatchObject({
    ...{ command: 'rm -rf /home/developer/lost', tier: 3 },
    reasons: ['It deletes folders with everything in them.'],
  })
  expect(await sh(own.admin, agent.name, 'ls')).toContain('kept')
  await answer(own.admin, dialog, { decision: 'allow' })
  expect(await endedTask(own.admin, id)).toMatchObject({ reason: 'completed', result: 'All done.' })
  expect(await sh(own.admin, agent.name, 'ls')).not.toContain('lost')
  const answers = (await eventsOf(own.admin, id)).filter(({ type }) => type === 'answer')
  expect(answers).toMatchObject([{ by: null }, { by: own.admin.email }])
})
