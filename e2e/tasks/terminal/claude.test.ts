/** A task of the real Claude Code goes on in its terminal, and the other way round. */
import { disconnectAll, TerminalClient } from '@slipway/testing'
import { isLongForm, longIt } from '@slipway/testing/forms'
import { afterEach, expect, it, vi } from 'vitest'
import { newUser } from '../../support/api.ts'
import { useServerToKill } from '../../support/shared-server.ts'
import { endedTask, refusalOf, startTask, taskOf } from '../../support/tasks/follow.ts'
import { agentWithModel, sh } from '../../support/tasks/model.ts'
import { openTerminal, prompt, terminalOf } from '../../support/tasks/terminal.ts'
import { Emulated } from '../../support/terminal/emulated.ts'

vi.setConfig({ testTimeout: 240_000 })

const SESSIONS = '/coding-agents/sessions'
const SCRIPT = {
  '@remember': [{ say: 'I remember 42.' }],
  '@typed': [{ say: 'I noted 7.' }],
  '@again': [{ say: 'And on.' }],
  '@silent': [{ say: 'Too late.', gate: '/tmp/never' }],
}
const own = useServerToKill()
afterEach(disconnectAll)

// In the short form `../../protocol/terminal-survives.test.ts` has terminals over a killed server.
it(`a conversation moves from a task to a terminal,${isLongForm ? ' over a killed server,' : ''} and to the next task`, async () => {
  const { name: agent } = await agentWithModel(own.admin, SCRIPT)
  await own.admin.ok('PATCH', `/agents/${agent}`, { keepSeconds: 300 })
  const { id } = await startTask(own.admin, { agent, prompt: '@remember a number' })
  const { cliSessionId } = await endedTask(own.admin, id)
  const place = await terminalOf(own.admin, id)
  expect(place).toEqual({
    agent,
    mode: 'claude',
    cwd: '/home/developer',
    cliSessionId,
    sessionId: null,
    page: `/agents/${agent}?task=${id}`,
    socket: `/api/agents/${agent}/terminal?task=${id}`,
  })

  const resume = { agent, prompt: '@again', resume: id }
  // It is kept for the terminal that is about to open.
  expect(await refusalOf(own.admin, 'POST', SESSIONS, resume)).toEqual([409, 'SESSION_IN_USE'])
  const terminal = await openTerminal(own.admin, place)
  const screen = new Emulated(terminal)
  await screen.shows(/remember 42/)
  await prompt(terminal, screen, { text: 'and @typed here', answer: 'noted 7' })
  expect(await terminalOf(own.admin, id)).toMatchObject({ sessionId: terminal.sessionId })
  expect(await refusalOf(own.admin, 'POST', SESSIONS, resume)).toEqual([409, 'SESSION_IN_USE'])
  const { id: queued } = await startTask(own.admin, { ...resume, queue: true })

  let back = terminal
  if (isLongForm) {
    await own.end('SIGKILL')
    await own.start()
    expect(await refusalOf(own.admin, 'POST', SESSIONS, resume)).toEqual([409, 'SESSION_IN_USE'])
    back = await openTerminal(own.admin, place)
    expect(back.of('auth_success')).toMatchObject([{ resumed: true, sessionId: terminal.sessionId, mode: 'claude' }])
  }
  expect(await taskOf(own.admin, queued)).toMatchObject({ state: 'queued' })
  await back.disconnect()

  expect(await endedTask(own.admin, queued)).toMatchObject({ result: 'And on.', cliSessionId, cwd: place.cwd })
  // The model got what was typed in the terminal.
  const asked = (await sh(own.admin, agent, 'cat model.log')).trimEnd().split('\n').at(-1)
  expect(asked).toBe('asked @remember @typed @again')
  expect(await terminalOf(own.admin, id)).toMatchObject({ sessionId: null })
})

// `backend/src/modules/runs/lease/leases.test.ts` has whose a session is, also to a terminal of another user.
longIt('a task in use has no terminal, and a terminal of another user keeps the conversation', async () => {
  const { name: agent } = await agentWithModel(own.admin, SCRIPT)
  const sharee = await newUser(own.admin)
  const stranger = await newUser(own.admin)
  await own.admin.ok('POST', `/agents/${agent}/shares`, { email: sharee.email })
  const { id } = await startTask(own.admin, { agent, prompt: '@remember' })
  await endedTask(own.admin, id)
  const path = `${SESSIONS}/${id}/terminal`

  const going = await startTask(own.admin, { agent, prompt: '@silent', resume: id })
  expect(await refusalOf(own.admin, 'POST', path)).toEqual([409, 'SESSION_IN_USE'])
  expect(await refusalOf(own.admin, 'POST', `${SESSIONS}/${going.id}/terminal`)).toEqual([409, 'SESSION_IN_USE'])
  await own.admin.ok('DELETE', `${SESSIONS}/${going.id}`)
  await endedTask(own.admin, going.id)

  expect(await refusalOf(stranger, 'POST', path)).toEqual([404, 'NOT_FOUND'])
  const place = await terminalOf(sharee, id)
  const terminal = await openTerminal(sharee, place)
  await new Emulated(terminal).shows(/remember 42/)
  expect(await refusalOf(own.admin, 'POST', path)).toEqual([409, 'SESSION_IN_USE'])
  const options = { baseUrl: own.admin.baseUrl, path: `/agents/${agent}/terminal?task=${id}` }
  const refused = await TerminalClient.say(options, { type: 'auth', token: own.admin.token, v: 2 })
  await refused.closed
  expect(refused.of('error')).toMatchObject([{ message: expect.stringContaining('continues this session') as string }])
  await terminal.disconnect()
})
