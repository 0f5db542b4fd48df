/** Claude Code asks people about what cannot be brought back, also where it skips its permission prompts, and says when it waits. */
import type { Dialog, LiveSession, PushMessage } from '@slipway/protocol'
import { disconnectAll, startPushService, until } from '@slipway/testing'
import { longIt } from '@slipway/testing/forms'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { useServerToKill } from '../../support/shared-server.ts'
import { answer, asked } from '../../support/tasks/dialogs.ts'
import { ASKED_MS, endedTask, eventsOf, openEvents, startTask } from '../../support/tasks/follow.ts'
import { agentWithModel, sh } from '../../support/tasks/model.ts'
import { openTerminal, prompt } from '../../support/tasks/terminal.ts'
import { Emulated } from '../../support/terminal/emulated.ts'

vi.setConfig({ testTimeout: 240_000 })

const service = await startPushService()
const own = useServerToKill({ SLIPWAY_PUSH_HOSTS: '127.0.0.1', NODE_EXTRA_CA_CERTS: service.caFile })
afterAll(() => service.close())
afterEach(disconnectAll)

const bash = (command: string) => ({ tool: 'Bash', input: { command, description: 'Do it' } })
const GRAVE = 'rm -rf /home/developer/lost'

/** It skips permissions. */
let skipping = ''
beforeAll(async () => {
  const script = {
    '@tidy': [
      bash('mkdir -p /home/developer/lost && echo made >made'),
      bash(GRAVE),
      bash(`${GRAVE} made`),
      { say: 'All done.' },
    ],
    '@grave': [bash(GRAVE), { say: 'It is gone.' }],
  }
  skipping = (await agentWithModel(own.admin, script)).name
})

/** `meanwhile` happens while the task waits. */
const waitsWithGraveCommand = async (meanwhile: () => Promise<void>): Promise<void> => {
  const agent = skipping
  const { id } = await startTask(own.admin, { agent, prompt: '@tidy', policy: 'skip' })
  const first = await asked(own.admin, id)
  expect(first).toMatchObject({
    ...{ agent, sessionId: id, userId: own.admin.userId, folder: '/home/developer' },
    question: { kind: 'approval', tool: 'Bash', command: GRAVE, tier: 3, editable: true },
  })
  // What can be brought back has run without a question.
  expect(await sh(own.admin, agent, 'cat made')).toBe('made\n')
  await meanwhile()
  expect(await asked(own.admin, id)).toEqual(first)
  await answer(own.admin, first, { decision: 'allow', command: 'rmdir /home/developer/lost' })
  const second = await until(
    'the second question',
    async () => {
      const dialog = await asked(own.admin, id)
      return dialog.id !== first.id && dialog
    },
    ASKED_MS,
  )
  await answer(own.admin, second, { decision: 'deny', reason: 'Keep that file.' })
  expect(await endedTask(own.admin, id)).toMatchObject({ reason: 'completed', result: 'All done.' })
  expect(await sh(own.admin, agent, 'ls -d made lost 2>/dev/null; true')).toBe('made\n')
  const events = await eventsOf(own.admin, id)
  expect(JSON.stringify(events)).toContain('Keep that file.')
  expect(events.find(({ type }) => type === 'question')).toMatchObject({ requestId: first.requestId })
}

it('a task that skips permissions waits with a grave command, and runs what a person makes of it', () =>
  waitsWithGraveCommand(async () => {}))

// `../killed-server.test.ts`, “leaves the question of a program”, which waits in the same way.
longIt('and waits over a killed server, too', () =>
  waitsWithGraveCommand(async () => {
    await own.end('SIGKILL')
    await own.start()
  }),
)

// `backend/src/modules/asks/hooks/hooks.test.ts` has what a terminal needs, without Claude.
longIt(
  'a terminal says that its program waits for a permission, also to a phone, until a key is pressed or it goes on',
  async () => {
    const { name: agent } = await agentWithModel(own.admin, {
      '@ask': [bash('sudo id'), { say: 'It was done.' }],
      '@grave': [bash(GRAVE), { say: 'It was not done.' }],
    })
    await own.admin.ok('PATCH', `/agents/${agent}`, { skipPermissions: false })
    // A user's own rule for all commands does not count for a grave one.
    await sh(
      own.admin,
      agent,
      `mkdir -p .claude && echo '{"permissions":{"allow":["Bash(rm:*)"]}}' >.claude/settings.local.json`,
    )
    await own.admin.ok('POST', '/notifications/devices', service.subscribe())
    const pushed = (): PushMessage[] =>
      service.received
        .map(({ text }) => JSON.parse(text) as PushMessage)
        .filter(({ path }) => path === `/agents/${agent}`)
    const events = await openEvents(own.admin)
    const socket = `/api/agents/${agent}/terminal?mode=claude`
    const terminal = await openTerminal(own.admin, { socket })
    const screen = new Emulated(terminal)
    const needs = (): LiveSession['needs'] | undefined => {
      const last = events.received.findLast((event) => event.type === 'sessions' && event.sessions.length > 0)
      return last?.type === 'sessions' ? last.sessions[0]?.needs : undefined
    }
    await prompt(terminal, screen, { text: 'now @ask', answer: 'Do you want to proceed' })
    await until('the terminal to need its user', () => needs() === 'permission')
    await until('the push', () => pushed().length > 0)
    expect(pushed()).toMatchObject([
      { title: `${agent} needs you`, body: 'Your terminal asks for a permission', actions: [] },
    ])
    terminal.type('1')
    await screen.shows(/It was done/)
    expect(needs()).toBeNull()
    await prompt(terminal, screen, { text: 'now @grave', answer: 'Do you want to proceed' })
    await until('the terminal to need its user', () => needs() === 'permission')
    terminal.type('\u001b')
    await until('the terminal to need its user no more', () => needs() === null)
    expect(await own.admin.ok<Dialog[]>('GET', '/dialogs?state=open')).toEqual([])
    events.close()
    await terminal.disconnect()
  },
)

it('a terminal that skips permissions asks on the page about a grave command', async () => {
  const agent = skipping
  await sh(own.admin, agent, 'mkdir -p lost')
  const socket = `/api/agents/${agent}/terminal?mode=claude`
  const terminal = await openTerminal(own.admin, { socket })
  const screen = new Emulated(terminal)
  await prompt(terminal, screen, { text: 'now @grave', answer: 'rm -rf' })
  const dialog = await until(
    'the question',
    async () =>
      (await own.admin.ok<Dialog[]>('GET', '/dialogs?state=open')).find((one) => one.agent === agent) ?? false,
    ASKED_MS,
  )
  expect(dialog).toMatchObject({ sessionId: null, userId: null, question: { command: GRAVE, tier: 3 } })
  expect(await sh(own.admin, agent, 'ls -d lost')).toBe('lost\n')
  await answer(own.admin, dialog, { decision: 'allow' })
  await screen.shows(/It is gone/)
  expect(await sh(own.admin, agent, 'ls -d lost 2>/dev/null; true')).toBe('')
  await terminal.disconnect()
})
