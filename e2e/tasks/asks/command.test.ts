/** `slipway ask` in an agent: a person answers what a program asks, without an API token in the agent. */
import type { Agent, AgentShown, Dialog } from '@slipway/protocol'
import { disconnectAll, until } from '@slipway/testing'
import { longIt } from '@slipway/testing/forms'
import { afterEach, beforeAll, expect, it } from 'vitest'
import type { Client } from '../../support/api.ts'
import { useServerToKill } from '../../support/shared-server.ts'
import { openEvents } from '../../support/tasks/follow.ts'
import { sh } from '../../support/tasks/model.ts'
import { Emulated } from '../../support/terminal/emulated.ts'
import { openBash } from '../../support/terminal/open-bash.ts'

const own = useServerToKill()
let agent = ''
beforeAll(async () => {
  agent = (await own.admin.agent({ keepSeconds: 300 })).name
})
afterEach(disconnectAll)

const openDialogs = async (client: Client): Promise<Dialog[]> =>
  (await client.ok<Dialog[]>('GET', '/dialogs?state=open')).filter((dialog) => dialog.agent === agent)
/** The question with this title. */
const asked = (title: string): Promise<Dialog> =>
  until('the question', async () => (await openDialogs(own.admin)).find((one) => one.title === title) ?? false)
const answer = ({ id }: Dialog, value: unknown): Promise<Dialog> =>
  own.admin.ok<Dialog>('POST', `/dialogs/${id}/answer`, { value })
const stateOf = async ({ id }: Dialog): Promise<string> => (await own.admin.ok<Dialog>('GET', `/dialogs/${id}`)).state

/** Runs the command beside the test. Its output, and its exit code, come once it has ended. */
const ask = (args: string): Promise<string> => sh(own.admin, agent, `slipway ask ${args} 2>&1; echo "code $?"`)

it('a question in a terminal is a dialog, and a yes ends the command with 0', async () => {
  const terminal = await openBash(own.admin, agent)
  const screen = new Emulated(terminal)
  terminal.type('slipway ask confirm "Deploy?" --message "To production"; echo "code $?"\r')
  const dialog = await asked('Deploy?')
  expect(dialog).toMatchObject({
    ...{ agent, sessionId: null, userId: null, message: 'To production', question: { kind: 'confirm' } },
  })
  await answer(dialog, true)
  await screen.shows(/yes\s+code 0/)
})

it('each answer has its form and its exit code', async () => {
  const no = ask('confirm "Really?"')
  await answer(await asked('Really?'), false)
  expect(await no).toBe('no\ncode 1\n')

  const one = ask('select "Which one?" red blue')
  await answer(await asked('Which one?'), 'blue')
  expect(await one).toBe('blue\ncode 0\n')

  const options = JSON.stringify([{ value: 'a', label: 'The first', description: 'It is "quoted".' }, { value: 'b' }])
  const several = ask(`select "Which ones?" --multiple --json --options '${options}'`)
  const choice = await asked('Which ones?')
  expect(choice.question).toMatchObject({ options: [{ label: 'The first' }, { value: 'b', label: 'b' }] })
  await answer(choice, ['a', 'b'])
  expect(await several).toBe('["a","b"]\ncode 0\n')

  const text = ask('editor "Edit it" --prefill - <<END\nold\nlines\nEND\necho')
  const editor = await asked('Edit it')
  expect(editor.question).toEqual({ kind: 'editor', prefill: 'old\nlines\n' })
  await answer(editor, 'new\nlines')
  expect(await text).toContain('new\nlines\n')

  const fields = JSON.stringify([{ name: 'age', type: 'integer', required: true }])
  const form = ask(`form "About you" --fields '${fields}'`)
  await answer(await asked('About you'), { age: 3 })
  expect(await form).toBe('{"age":3}\ncode 0\n')
})

it('no answer is no yes: cancelled, too late, wrong arguments', async () => {
  const cancelled = ask('input "Name?" --placeholder you')
  await own.admin.ok('DELETE', `/dialogs/${(await asked('Name?')).id}`)
  expect(await cancelled).toBe('slipway: cancelled\ncode 3\n')
  expect(await ask('confirm "Soon?" --timeout 1')).toBe('slipway: there was no answer in time\ncode 4\n')
  expect(await ask('confirm')).toContain('code 2\n')
  expect(await ask(`confirm ${'x'.repeat(201)}`)).toMatch(/body\.title.*\ncode 6\n/s)
})

it('notices and what the agent shows are told to those who see it, until the agent is stopped', async () => {
  const events = await openEvents(own.admin)
  const { id } = await own.admin.ok<Agent>('GET', `/agents/${agent}`)
  /** The admin hears of other agents, too. */
  const heard = () => events.received.filter((event) => 'agentId' in event && event.agentId === id)
  const script = [
    'slipway notify "It is <b>done</b>" --type success',
    'slipway status tests "12 of 40"',
    'printf "one\\ntwo\\n" | slipway widget list -',
    'slipway title "Release 2"',
    'slipway working "Building"',
    'slipway working',
  ]
  await sh(own.admin, agent, script.join(' && '))
  const seen = (): Promise<AgentShown> => own.admin.ok<AgentShown>('GET', `/agents/${agent}/shown`)
  expect(await seen()).toMatchObject({
    shown: [
      { kind: 'status', key: 'tests', lines: ['12 of 40'], sessionId: null },
      { kind: 'widget', key: 'list', lines: ['one', 'two'] },
      { kind: 'title', key: '', lines: ['Release 2'] },
    ],
    notices: [{ type: 'success', message: 'It is <b>done</b>', sessionId: null }],
  })
  const told = await until('the last event', () => {
    const of = heard().flatMap((event) =>
      event.type === 'agent:shown' ? [`${event.shown.kind} ${event.shown.lines.length}`] : [],
    )
    return of.length === 5 ? of : false
  })
  expect(told).toEqual(['status 1', 'widget 2', 'title 1', 'working 1', 'working 0'])
  expect(heard().filter(({ type }) => type === 'agent:notice')).toHaveLength(1)
  events.close()
  const wrong = await sh(
    own.admin,
    agent,
    'slipway notify hi --type loud 2>&1; echo "code $?"; slipway status; echo "code $?"',
  )
  expect(wrong).toMatch(/body\.type.*code 6.*code 2/s)
})

it('the text of the editor is kept for programs, and shown to people', async () => {
  const script = `slipway has-ui && slipway get-editor-text && printf 'one\\ntwo\\n' | slipway set-editor-text - && slipway get-editor-text
    slipway set-editor-text && slipway get-editor-text && slipway set-editor-text kept`
  expect(await sh(own.admin, agent, script)).toBe('\none\ntwo\n\n')
  const { shown } = await own.admin.ok<AgentShown>('GET', `/agents/${agent}/shown`)
  expect(shown).toContainEqual(expect.objectContaining({ kind: 'editor', key: '', lines: ['kept'] }))
})

it('Ctrl+C withdraws the question', async () => {
  const terminal = await openBash(own.admin, agent)
  const screen = new Emulated(terminal)
  terminal.type('slipway ask confirm "Ended?"; echo "code $?"\r')
  const dialog = await asked('Ended?')
  terminal.type('\u0003')
  await screen.shows(/code 130/)
  // The command waits two seconds for the answer to its withdrawal. A busy server may take longer.
  await expect.poll(() => stateOf(dialog)).toBe('withdrawn')
})

// `../killed-server.test.ts`, “leaves the question of a program”.
longIt('a command waits over the death of its server for the same question', async () => {
  const terminal = await openBash(own.admin, agent)
  terminal.type('slipway ask confirm "Still there?" >answer.txt 2>&1; echo "code $?" >>answer.txt\r')
  const dialog = await asked('Still there?')
  await own.end('SIGKILL')
  await own.start()
  expect(await openDialogs(own.admin)).toEqual([dialog])
  await answer(dialog, true)
  await until('the answer', async () => (await sh(own.admin, agent, 'cat answer.txt')) === 'yes\ncode 0\n')
})
