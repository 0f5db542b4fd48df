/** Two terminals of one user in one agent: each by itself, also under a server that is killed. */
import type { Agent, CreatedTerminalLink, LiveSession } from '@slipway/protocol'
import { disconnectAll, TerminalClient } from '@slipway/testing'
import { isLongForm } from '@slipway/testing/forms'
import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { useServerToKill } from '../support/shared-server.ts'
import { openEvents } from '../support/tasks/follow.ts'
import { COUNTER, numbersIn } from '../support/terminal/counter.ts'

vi.setConfig({ testTimeout: 240_000 })

const own = useServerToKill()
let agent: Agent

beforeAll(async () => {
  agent = await own.admin.agent({ runtime: 'bash', keepSeconds: 300, record: true })
})
afterEach(disconnectAll)

/** A terminal of the admin in a tab, with its first frame; null: the terminal without a name. */
const connect = async (tab: string | null, first: object = {}): Promise<TerminalClient> => {
  const query = new URLSearchParams({ mode: 'bash', ...(tab !== null && { tab }) })
  const path = `/agents/${agent.name}/terminal?${query}`
  const terminal = await TerminalClient.say(
    { baseUrl: own.admin.baseUrl, path },
    { type: 'auth', token: own.admin.token, v: 2, ...first },
  )
  await terminal.until('an answer', () => terminal.frames.length > 0)
  return terminal
}
const refusalOf = async (terminal: TerminalClient): Promise<unknown> => {
  const { code } = await terminal.closed
  return { code, ...terminal.frames.at(-1) }
}

/** Follows the sessions of the agent, as every page does. */
const followSessions = async () => {
  const events = await openEvents(own.admin)
  const newest = (): LiveSession[] => {
    const last = events.received.findLast((event) => event.type === 'sessions' && event.agentId === agent.id)
    return last?.type === 'sessions' ? last.sessions : []
  }
  return { newest, close: () => events.close() }
}

it('allows one terminal by default, and refuses another tab as it refuses a second client', async () => {
  const only = await connect(null)
  const message = 'You already have an active terminal session for this agent'
  expect(await refusalOf(await connect('shell'))).toMatchObject({ code: 4002, message })
  expect(await refusalOf(await connect(null))).toMatchObject({ code: 4002, message })
  expect(await refusalOf(await connect('not a name'))).toMatchObject({ code: 4000 })
  await only.disconnect()
})

// In the short form their sockets are lost. `terminal-survives.test.ts` has terminals over a killed server.
it(`keeps two terminals side by side apart, also when ${isLongForm ? 'the server is killed' : 'their sockets are lost'}`, async () => {
  await own.admin.ok('PATCH', `/agents/${agent.name}`, { terminalsPerUser: 2 })
  const [plain, shell] = [await connect(null, { cols: 100, rows: 30 }), await connect('shell', { cols: 70, rows: 20 })]
  expect(plain.sessionId).not.toBe(shell.sessionId)
  expect([await plain.run('stty size'), await shell.run('stty size')]).toMatchObject([
    expect.stringContaining('30 100'),
    expect.stringContaining('20 70'),
  ])
  expect(await refusalOf(await connect('third'))).toMatchObject({
    code: 4002,
    message: 'You already have 2 terminals in this agent, as many as its settings allow',
  })
  const events = await followSessions()
  const listed = (): unknown => events.newest().map(({ sessionId, tab }) => [sessionId, tab])
  await expect.poll(listed).toEqual([
    [plain.sessionId, undefined],
    [shell.sessionId, 'shell'],
  ])
  events.close()
  const link = { access: 'view', audience: 'anyone' }
  const path = `/terminal-sessions/${shell.sessionId}/links`
  const { secret } = await own.admin.ok<CreatedTerminalLink>('POST', path, link)

  plain.type('echo only-in-pl""ain\r')
  await plain.until('the line', () => plain.text.includes('only-in-plain'))
  shell.type(COUNTER)
  await shell.until('the counter', () => numbersIn(shell.text).length > 10)
  if (isLongForm) await own.end('SIGKILL')
  else for (const terminal of [plain, shell]) terminal.cut()
  await Promise.all([plain.closed, shell.closed])
  const [text, offset] = [shell.text, shell.offset]
  if (isLongForm) await own.start()
  // A lower setting ends no terminal that runs.
  await own.admin.ok('PATCH', `/agents/${agent.name}`, { terminalsPerUser: 1 })
  const counting = await connect('shell', { session: shell.sessionId, offset })
  expect(counting.frames[0]).toMatchObject({ type: 'auth_success', sessionId: shell.sessionId, resumed: true })
  const last = numbersIn(text).at(-1) ?? 0
  await counting.until('the counter to go on', () => (numbersIn(counting.text).at(-1) ?? 0) > last + 20)
  const all = numbersIn(text + counting.text)
  expect(all).toEqual(all.map((_, index) => index))
  const shown = await connect(null)
  expect(shown.frames[0]).toMatchObject({ sessionId: plain.sessionId, resumed: true })
  await shown.until('its own screen', () => shown.text.includes('only-in-plain'))
  expect(numbersIn(shown.text)).toEqual([])

  const guest = await TerminalClient.say(
    { baseUrl: own.admin.baseUrl, path: '/watch' },
    { type: 'auth', v: 2, link: secret },
  )
  await guest.until('the shared tab', () => numbersIn(guest.text).length > 20)
  await counting.disconnect()
  expect((await guest.closed).code).toBe(1000)
  // The other one goes on.
  expect(await shown.run('echo still-he""re')).toContain('still-here')
  const { items } = await own.admin.ok<{ items: { id: string }[] }>('GET', `/agents/${agent.name}/recordings`)
  expect(items.map(({ id }) => id)).toEqual(expect.arrayContaining([plain.sessionId, shell.sessionId]))
  await shown.disconnect()
})
