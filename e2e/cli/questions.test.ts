/** The questions of a task in `slipway run`, with the real Claude Code, answered as each `--ui` takes it. */
import type { CodingSession, Dialog } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { longIt } from '@slipway/testing/forms'
import { beforeAll, expect, inject, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../support/api.ts'
import { MAIN, useCommand, valuesIn } from '../support/command.ts'
import { ASKED_MS } from '../support/tasks/follow.ts'
import { agentWithModel, sh } from '../support/tasks/model.ts'
import { startInPty } from '../support/terminal/pty.ts'

const slipway = useCommand()
let owner: Client
let agent: string
let env: Readonly<Record<string, string>>
const bash = (command: string) => ({ tool: 'Bash', input: { command, description: 'Do it' } })
beforeAll(async () => {
  owner = await newUser(await signInAdmin())
  const { token } = await owner.apiToken('tasks:read', 'tasks:write')
  env = { SLIPWAY_URL: inject('baseUrl'), SLIPWAY_TOKEN: token }
  const made = await agentWithModel(owner, {
    RPC: [bash('sudo touch asked'), { say: 'All done.' }],
    DEBUG: [bash('sudo touch asked'), { say: 'I stop.' }],
    HEADLESS: [bash('sudo touch asked'), { say: 'I stop.' }],
    TERMINAL: [bash('sudo touch asked'), { say: 'I stop.' }],
    LATER: [bash('sudo touch asked'), { say: 'I stop.' }],
    ELSEWHERE: [bash('sudo touch asked'), { say: 'I stop.' }],
  })
  agent = made.name
  return () => owner.ok('DELETE', `/agents/${agent}`)
})

const start = (prompt: string, ...options: string[]) =>
  slipway.start(['run', agent, prompt, '--policy', 'ask', ...options], env)

/** The open question of a task. */
const openOf = (session: string): Promise<Dialog> =>
  until(
    'the question',
    async () => (await owner.ok<Dialog[]>('GET', `/dialogs?state=open&session=${session}`))[0] ?? false,
    ASKED_MS,
  )

it('go to a program by JSON-RPC, which allows another command', async () => {
  const running = start('RPC', '--ui', 'rpc', '--json')
  const asked = await running.says('the question', ({ method }) => method === 'select')
  expect(asked).toMatchObject({
    params: {
      title: expect.stringContaining('$ sudo touch asked') as string,
      options: [{ value: 'deny' }, { value: 'allow' }, { value: 'edit' }],
      opts: {},
    },
  })
  running.answer({ id: asked.id, result: 'edit' })
  const edited = await running.says('the editor', ({ method }) => method === 'editor')
  expect(edited).toMatchObject({ params: { prefill: 'sudo touch asked' } })
  running.answer({ id: edited.id, result: 'touch edited' })
  const { code, stdout, stderr } = await running.ended
  expect(code).toBe(0)
  expect(await sh(owner, agent, 'ls')).toContain('edited\n')
  const methods = valuesIn(stdout).map(({ method }) => method)
  expect(methods.filter((method) => method === 'select' || method === 'editor')).toEqual(['select', 'editor'])
  expect(methods).toEqual(expect.arrayContaining(['set_title', 'set_status', 'set_working_message', 'notify']))
  expect(valuesIn(stderr)).toContainEqual(expect.objectContaining({ type: 'answer', by: owner.email }))
})

// `cli/src/ui/debug.test.ts` has the envelope without a task.
longIt('share standard output with the events in the debug envelope, and are denied with a reason', async () => {
  const running = start('DEBUG', '--ui', 'debug')
  const asked = await running.says('the question', ({ method }) => method === 'select')
  expect(asked).toMatchObject({ type: 'ui_request', params: { options: [{ value: 'deny' }, {}, {}] } })
  running.answer({ type: 'ui_response', id: 'another', result: 'allow', error: null })
  running.answer({ type: 'ui_response', id: asked.id, result: 'deny', error: null })
  const why = await running.says('the reason', ({ method }) => method === 'input')
  running.answer({ type: 'ui_response', id: why.id, result: 'Not today.', error: null })
  const { code, stdout } = await running.ended
  expect(code).toBe(0)
  const values = valuesIn(stdout)
  expect(values).toContainEqual(expect.objectContaining({ type: 'command', state: 'ended', output: 'Not today.' }))
  expect(values).toContainEqual({
    type: 'ui_notify',
    params: { message: 'The task has completed.', notify_type: 'success' },
  })
})

it('get the defaults without people, which are no yes', async () => {
  const { code, stderr } = await start('HEADLESS', '--ui', 'headless').ended
  expect(code).toBe(0)
  expect(stderr).toContain('info: [SUCCESS] The task has completed.\n')
  expect(await sh(owner, agent, 'ls')).not.toContain('asked')
})

it('are prompts in a terminal, one with the whole command, and events wait until it is answered', async () => {
  const argv = [process.execPath, MAIN, 'run', agent, 'TERMINAL', '--policy', 'ask', '--follow']
  const here = startInPty(argv, { ...env, HOME: slipway.home })
  await here.prints(/\$ sudo touch asked[^]*Allow once/, ASKED_MS)
  // The first option denies.
  here.type('\r')
  await here.prints(/Why not\?/)
  here.type('Not here.\r')
  expect(await here.ended).toBe(0)
  expect(here.printed()).toMatch(/Not here\.[^]*I stop\.[^]* completed/)
  expect(await sh(owner, agent, 'ls')).not.toContain('asked')
})

// `backend/src/modules/dialogs/ask.test.ts` has one winner of many answers; the next test is told when it comes too late.
longIt('stay open after their time, and are withdrawn here when another person answers', async () => {
  const running = start('ELSEWHERE', '--ui', 'rpc', '--ui-timeout', '1', '--json')
  await running.says('that there was no answer', ({ params }) => JSON.stringify(params).includes('stays open'))
  const [first] = valuesIn(running.stderr())
  const { id } = await openOf((first?.session as CodingSession).id)
  await owner.ok('POST', `/dialogs/${id}/answer`, { decision: 'deny' })
  expect(await running.ended).toMatchObject({ code: 0 })
})

it('are listed and answered by a script, the first time only', async () => {
  const started = await slipway.run(['run', agent, 'LATER', '--policy', 'ask', '--json'], { env })
  const [session] = valuesIn(started.stdout)
  const run = String(session?.id)
  const { id } = await openOf(run)
  const shown = [['answer', '--json'], ['answer'], ['runs'], ['answer', id]].map((argv) => slipway.run(argv, { env }))
  const [json, list, runs, unanswered] = await Promise.all(shown)
  expect(valuesIn(json!.stdout)).toContainEqual(expect.objectContaining({ id, sessionId: run }))
  expect(list!.stdout).toMatch(new RegExp(`${id} +${agent} +approval +\\$ sudo touch asked`))
  expect(runs!.stdout).toMatch(new RegExp(`${run} +${agent} +waiting for you`))
  expect(unanswered).toMatchObject({ code: 2, stderr: expect.stringContaining('no terminal') as string })
  const denied = ['answer', id, '--deny', '--reason', 'Too late.']
  expect(await slipway.run(denied, { env })).toEqual({ code: 0, stdout: '', stderr: '' })
  const again = await slipway.run([...denied, '--json'], { env })
  expect([again.code, valuesIn(again.stderr)]).toEqual([6, [expect.objectContaining({ code: 'DIALOG_CLOSED' })]])
  const followed = await slipway.run(['runs', run, '--follow'], { env })
  expect([followed.code, followed.stdout]).toEqual([0, expect.stringContaining('Denied.')])
  const [ended, one] = await Promise.all(
    [
      ['runs', '--ended'],
      ['runs', run],
    ].map((argv) => slipway.run(argv, { env })),
  )
  expect(ended!.stdout).toMatch(new RegExp(`${run} +${agent} +completed`))
  expect(one!.stdout).toContain('I stop.')
})
