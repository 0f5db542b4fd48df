/** A terminal session survives its socket, a stop of its server, and a crash of its server. */
import { rmSync } from 'node:fs'
import { type Agent, type CreatedTerminalLink, LINK_REFUSED } from '@slipway/protocol'
import { disconnectAll, newDataDir, TerminalClient, until } from '@slipway/testing'
import { isLongForm } from '@slipway/testing/forms'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Client, newUser, signInAdmin } from '../support/api.ts'
import { docker, processesIn, removeNamespace, runIn } from '../support/engine.ts'
import { newNamespace, type Server, startServer } from '../support/server.ts'
import { COUNTER, numbersIn } from '../support/terminal/counter.ts'

vi.setConfig({ testTimeout: 240_000 })

/** Number of terminals whose server is killed. In the short form enough to be found side by side. */
const TERMINALS = isLongForm ? 20 : 4
/** Longest time until a busy engine has ended and reported the programs of all terminals, in milliseconds. */
const GONE_MS = 120_000

let namespace: string
let dataDir: string
let server: Server
let admin: Client
let agent: Agent

beforeAll(async () => {
  namespace = newNamespace()
  dataDir = newDataDir()
  server = await startServer({ namespace, dataDir })
  admin = await signInAdmin(server.baseUrl)
  agent = await admin.agent({ runtime: 'bash', keepSeconds: 300 })
})
afterEach(disconnectAll)
afterAll(async () => {
  await server.stop()
  await removeNamespace(namespace)
  rmSync(dataDir, { recursive: true, force: true })
})

const goneFrom = ({ name }: Agent, which: RegExp): Promise<unknown> => {
  const areGone = async (): Promise<boolean> =>
    (await processesIn(`${namespace}-agent-${name}`)).every((line) => !which.test(line))
  return until(`${which} to be gone`, areGone, GONE_MS)
}

const connect = async (client: Client, first: object = {}): Promise<TerminalClient> => {
  const path = `/agents/${agent.name}/terminal?mode=bash`
  const hello = { type: 'auth', token: client.token, v: 2, ...first }
  const terminal = await TerminalClient.say({ baseUrl: client.baseUrl, path }, hello)
  await terminal.until('an answer', () => terminal.frames.length > 0)
  return terminal
}
/** All output up to the newest received offset, as a client keeps it. */
interface Kept {
  readonly sessionId: string
  readonly offset: number
  readonly text: string
}
const keptBy = ({ sessionId, offset, text }: TerminalClient, before = ''): Kept => ({
  sessionId,
  offset,
  text: before + text,
})

const countsOn = async (client: Client, kept: Kept): Promise<TerminalClient> => {
  const terminal = await connect(client, { session: kept.sessionId, offset: kept.offset })
  expect(terminal.frames[0]).toMatchObject({ type: 'auth_success', sessionId: kept.sessionId, resumed: true })
  const last = numbersIn(kept.text).at(-1) ?? 0
  await terminal.until('the counter to go on', () => (numbersIn(terminal.text).at(-1) ?? 0) > last + 20)
  expect(terminal.frames.filter(({ type }) => type === 'snapshot')).toEqual([])
  const all = numbersIn(kept.text + terminal.text)
  expect(all).toEqual(all.map((_, index) => index))
  return terminal
}

/**
 * Process ids of all counters, as the engine's host sees them. No other process has one of these ids while the counter
 * runs.
 */
const counterPids = async (): Promise<string[]> => {
  const { Titles, Processes } = (await docker.getContainer(`${namespace}-agent-${agent.name}`).top()) as {
    Titles: string[]
    Processes: string[][]
  }
  const [pid, command] = [Titles.indexOf('PID'), Titles.indexOf('CMD')]
  const counters = Processes.filter((row) => row[command]?.includes('itertools'))
  return counters.map((row) => row[pid] ?? '').sort()
}

/** The lines that the program has written to a file. */
const keys = async (): Promise<string[]> => {
  const text = await runIn(`${namespace}-agent-${agent.name}`, ['cat', '/home/developer/keys'])
  return text.split('\n').slice(0, -1)
}

describe('a session that lost its socket', () => {
  it('is there again with all of its output, on any device of its user', async () => {
    const lost = await connect(admin)
    lost.type(COUNTER)
    await lost.until('the counter', () => numbersIn(lost.text).length > 10)
    lost.cut()
    await lost.closed
    const elsewhere = await signInAdmin(server.baseUrl)
    const back = await countsOn(elsewhere, keptBy(lost))
    await back.disconnect()
    await goneFrom(agent, /itertools/)
  })

  it('is ended when the time is over that the agent’s settings give it', async () => {
    await admin.ok('PATCH', `/agents/${agent.name}`, { keepSeconds: 1 })
    const lost = await connect(admin)
    lost.cut()
    await goneFrom(agent, /bash/)
    const late = await connect(admin, { session: lost.sessionId })
    expect(late.frames).toMatchObject([{ type: 'error', reason: 'connection_lost' }])
    await admin.ok('PATCH', `/agents/${agent.name}`, { keepSeconds: 300 })
  })

  it('has ended the paste that was cut off with it, so that its program takes keys as such', async () => {
    const lost = await connect(admin)
    await lost.run('true')
    lost.type('\x1b[200~echo pasted-$((40+')
    // A shell shows no part of a paste before its end. An answer to a later message proves that the server has the
    // paste.
    const answered = new Promise((resolve) => lost.socket.once('pong', resolve))
    lost.socket.ping()
    await answered
    lost.cut()
    await lost.closed
    const { sessionId, offset } = keptBy(lost)
    const back = await connect(admin, { session: sessionId, offset })
    back.type('2))\r')
    await back.until('the shell to run it', () => back.text.includes('pasted-42'))
    await back.disconnect()
    await goneFrom(agent, /bash/)
  })

  it('serves a plain client as before: the program as it stands, and no other frame', async () => {
    const lost = await connect(admin)
    await lost.run('echo before')
    lost.cut()
    await lost.closed
    const plain = await TerminalClient.open(
      { baseUrl: admin.baseUrl, path: `/agents/${agent.name}/terminal` },
      { type: 'auth', token: admin.token },
    )
    expect(plain.frames).toEqual([{ type: 'auth_success' }])
    expect(await plain.run('echo after')).toContain('after')
    expect(plain.text).toContain('before')
    await plain.disconnect()
  })
})

describe('a second socket', () => {
  it('is refused while the first is alive, and takes over when it asks: the first is told who took over, and nothing is lost', async () => {
    const first = await connect(admin, { client: 'first' })
    first.type(COUNTER)
    await first.until('the counter', () => numbersIn(first.text).length > 10)
    const refused = await connect(admin, { client: 'second' })
    expect((await refused.closed).code).toBe(4002)
    const second = await connect(admin, { client: 'second', takeover: true, offset: 0 })
    expect(await first.closed).toMatchObject({ code: 4002 })
    expect(first.frames.at(-1)).toMatchObject({ reason: 'taken_over', message: expect.stringContaining(admin.email) })
    await second.until('the counter', () => numbersIn(second.text).length > 50)
    expect(numbersIn(second.text)).toEqual(numbersIn(second.text).map((_, index) => index))
    // A displaced client does not reconnect by itself.
    expect((await (await connect(admin, { client: 'first' })).closed).code).toBe(4002)
    await second.disconnect()
  })
})

describe(`a server that is killed under ${TERMINALS} terminals`, () => {
  let users: Client[]
  let before: TerminalClient[]
  let pids: string[]
  let typed = 0
  /** Of a user who loses the right meanwhile, and in an agent that is stopped meanwhile. */
  let guest: Client
  let theirs: TerminalClient
  let stopped: Agent
  let gone: TerminalClient
  let secret: string
  /** Its program ends meanwhile. */
  let ending: TerminalClient

  const pathTo = ({ name }: Agent): string => `/agents/${name}/terminal?mode=bash`

  beforeAll(async () => {
    users = await Promise.all(Array.from({ length: TERMINALS }, () => newUser(admin)))
    guest = await newUser(admin)
    for (const { email } of [...users, guest]) await admin.ok('POST', `/agents/${agent.name}/shares`, { email })
    before = await Promise.all(users.map((user) => connect(user)))
    const [typist, ...counting] = before
    for (const terminal of counting) terminal.type(COUNTER)
    await Promise.all(counting.map((one) => one.until('the counter', () => numbersIn(one.text).length > 10)))
    pids = await counterPids()
    expect(pids).toHaveLength(TERMINALS - 1)

    theirs = await connect(guest)
    stopped = await admin.agent({ runtime: 'bash', keepSeconds: 300 })
    gone = await TerminalClient.open(
      { baseUrl: admin.baseUrl, path: pathTo(stopped) },
      { type: 'auth', token: admin.token, v: 2 },
    )
    const linksPath = `/terminal-sessions/${gone.sessionId}/links`
    const link = await admin.ok<CreatedTerminalLink>('POST', linksPath, { access: 'view', audience: 'anyone' })
    secret = link.secret
    ending = await connect(admin)
    await ending.run('rm -f go')
    ending.type('until [ -e go ]; do sleep 0.05; done; touch over; exit 7\r')
    await ending.until('the line', () => ending.text.includes('exit 7'))

    // Types one line after another while the server is killed. Lines in flight may be lost, but none may arrive twice.
    typist?.type(': > keys; stty -echo; echo rea"dy"; cat > keys\r')
    await typist?.until('the command to be at work', () => typist.text.includes('ready'))
    const typing = setInterval(() => typist?.type(`${(typed += 1)}\r`), 1)
    await until('some of them to arrive', async () => (await keys()).length > 20)
    server.process.kill('SIGKILL')
    await Promise.all([...before, theirs, gone, ending].map((terminal) => terminal.closed))
    clearInterval(typing)

    const container = `${namespace}-agent-${agent.name}`
    await runIn(container, ['touch', '/home/developer/go'])
    await runIn(container, ['sh', '-c', 'until [ -e /home/developer/over ]; do sleep 0.05; done'])
    await docker.getContainer(`${namespace}-agent-${stopped.name}`).stop({ t: 0 })
    server = await startServer({ namespace, dataDir })
    admin = admin.at(server.baseUrl)
  })

  it('finds them again in their containers: same processes, no number missing or twice, no key typed twice', async () => {
    const after = users.map((user) => user.at(server.baseUrl))
    const kept = before.map((terminal) => keptBy(terminal))
    const back = await Promise.all(after.slice(1).map((user, index) => countsOn(user, kept[index + 1]!)))
    expect(await counterPids()).toEqual(pids)
    expect(back[0]!.frames[0]).toMatchObject({ survives: true })
    const writer = await connect(after[0]!, { session: kept[0]!.sessionId, offset: kept[0]!.offset })
    writer.type('last\r')
    await until('what is typed afterwards', async () => (await keys()).at(-1) === 'last')
    const arrived = (await keys()).slice(0, -1).map(Number)
    expect(arrived).toEqual(arrived.map((_, index) => index + 1))
    expect(arrived.length).toBeLessThanOrEqual(typed)
  })

  it('leaves the exit code of a program that ended meanwhile to the next one', async () => {
    const { sessionId, offset } = keptBy(ending)
    const late = await connect(admin, { session: sessionId, offset })
    await late.closed
    expect(late.frames.at(-1)).toMatchObject({ type: 'error', reason: 'exited', exitCode: 7 })
  })

  it('ends waiting sessions with a revoked right, too, and gives the reason for those that stopped with their container', async () => {
    const hello = { type: 'auth', v: 2, session: gone.sessionId }
    const target = { baseUrl: server.baseUrl, path: pathTo(stopped) }
    const late = await TerminalClient.say(target, { ...hello, token: admin.token })
    await late.closed
    expect(late.frames).toMatchObject([{ type: 'error', reason: 'container_stopped' }])
    const watching = await TerminalClient.say({ baseUrl: server.baseUrl, path: '/watch' }, { ...hello, link: secret })
    await watching.closed
    expect(watching.frames).toMatchObject([{ type: 'error', message: LINK_REFUSED }])
    await admin.ok('DELETE', `/agents/${agent.name}/shares/${guest.userId}`)
    const refused = await connect(guest.at(server.baseUrl), { session: theirs.sessionId })
    expect((await refused.closed).code).toBe(4003)
    await goneFrom(agent, /itertools|bash/)
  })
})

describe('a server that is restarted in order', () => {
  it('tells every terminal, and each goes on afterwards', async () => {
    const lost = await connect(admin)
    lost.type(COUNTER)
    await lost.until('the counter', () => numbersIn(lost.text).length > 10)
    server.process.kill('SIGTERM')
    expect(await lost.closed).toMatchObject({ code: 1001 })
    expect(lost.frames.at(-1)).toMatchObject({ reason: 'server_stopping' })
    await until('the server to end', () => server.process.exitCode !== null)
    server = await startServer({ namespace, dataDir })
    admin = admin.at(server.baseUrl)
    await (await countsOn(admin, keptBy(lost))).disconnect()
  })
})
