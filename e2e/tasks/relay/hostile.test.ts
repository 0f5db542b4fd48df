/** What hostile programs in an agent can do with its relay. */
import { until } from '@slipway/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { sh } from '../../support/tasks/model.ts'
import { askRelay, giveTools, RELAY_SOCKET, relayAnswers } from '../../support/tasks/relay.ts'

const call = (name: string, input: object): string =>
  `-d '${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } })}' http://slipway/api/mcp`

let admin: Client
let owner: Client
let stranger: Client
/** An agent with the tools, one whose token may only read, one without, and one of another user with the tools. */
let agent = ''
let reader = ''
let bare = ''
let theirs = ''

beforeAll(async () => {
  admin = await signInAdmin()
  owner = await newUser(admin)
  stranger = await newUser(admin)
  const made = await Promise.all([owner.agent(), owner.agent(), owner.agent(), stranger.agent()])
  ;[agent = '', reader = '', bare = '', theirs = ''] = made.map(({ name }) => name)
  await giveTools(owner, `/agents/${agent}`)
  await giveTools(owner, `/agents/${reader}`, ['tasks:read'])
  await giveTools(stranger, `/agents/${theirs}`)
  for (const name of [agent, reader, bare]) await relayAnswers(owner, name)
  await relayAnswers(stranger, theirs)
})
afterAll(async () => {
  for (const name of [agent, reader, bare]) await owner.ok('DELETE', `/agents/${name}`)
  await stranger.ok('DELETE', `/agents/${theirs}`)
})

const pidOf = async (): Promise<string> =>
  (await sh(owner, agent, 'pgrep -xf "/usr/local/lib/slipway/relay .*" || true')).trim()

describe('a program in an agent', () => {
  it('is taken for its agent, whatever it says about itself', async () => {
    const { token } = await owner.apiToken('tasks:read', 'tasks:write', 'agents:read', 'agents:write')
    const lies = `-H 'authorization: Bearer ${token}' -H 'x-forwarded-for: 127.0.0.1' -H 'cookie: a=b'`
    expect(await askRelay(stranger, theirs, `${lies} ${call('list_task_results', {})}`)).toContain('You have no tasks.')
    expect(await askRelay(stranger, theirs, `${lies} ${call('run_coding_task', { agent, prompt: 'hi' })}`)).toContain(
      'There is no such thing here.',
    )
  })

  it('reaches nothing but the tools, with the scopes of the token', async () => {
    for (const path of ['/api/agents', '/api/users/me', '/api/health/live', '/api/tokens', '/metrics', '/'])
      expect(await askRelay(owner, agent, `http://slipway${path}`), path).toMatch(/\n404\n$/)
    expect(await askRelay(owner, reader, call('run_coding_task', { agent, prompt: 'hi' }))).toContain(
      'lacks the scope tasks:write',
    )
    expect(await askRelay(owner, bare, call('list_task_results', {}))).toContain('list_task_results not found')
  })

  it('sends no more than a bound, and opens no more connections than the relay has', async () => {
    const large = `head -c 1100000 /dev/zero | tr '\\0' x >large`
    expect(await sh(owner, agent, large)).toBe('')
    expect(await askRelay(owner, agent, '--data-binary @large http://slipway/api/mcp')).toMatch(/\n413\n$/)
    const hold = `python3 - <<'END'
import select, socket, time
held = [socket.socket(socket.AF_UNIX) for _ in range(60)]
for s in held:
    s.connect('${RELAY_SOCKET}')
closed = 0
end = time.monotonic() + 60
while closed < 28 and time.monotonic() < end:
    for s in select.select(held, [], [], 1)[0]:
        if s.recv(1) == b'':
            closed += 1
            held.remove(s)
print(closed + len(select.select(held, [], [], 0)[0]))
END`
    expect((await sh(owner, agent, hold)).trim()).toBe('28')
    await relayAnswers(owner, agent)
  })

  it('that opens connections as fast as it can slows down only its own', async () => {
    // The relay takes 20 connections a second, and 16 wait at its door. So with 40 it has all that it can take.
    // What is not detached ends with the script.
    const flood = `setsid timeout 60 python3 - <<'END' >flood.log 2>&1 &
import itertools, socket
for count in itertools.count(1):
    try:
        with socket.socket(socket.AF_UNIX) as s:
            s.connect('${RELAY_SOCKET}')
            s.sendall(b'POST /api/mcp HTTP/1.1\\r\\nhost: a\\r\\ncontent-length: 2\\r\\n\\r\\n{}')
    except ConnectionError:
        pass
    if count == 40:
        print('flooded', flush=True)
END
until grep -q flooded flood.log; do sleep 0.1; done
echo $!`
    const pid = (await sh(owner, agent, flood)).trim()
    for (let times = 0; times < 5; times += 1) await relayAnswers(stranger, theirs)
    // They have not waited for its end.
    expect(await sh(owner, agent, `kill ${pid} 2>&1 && echo was there; true`)).toBe('was there\n')
    await until(
      'the flood to end',
      async () => (await sh(owner, agent, `kill -0 ${pid} 2>&1 || echo over`)).includes('over'),
      30_000,
    )
    await relayAnswers(owner, agent)
  })

  it('that kills the relay, or writes into its pipe, gets a new one', async () => {
    for (const attack of ['kill -9 "$1"', 'head -c 65536 /dev/urandom >"/proc/$1/fd/1"']) {
      const pid = await pidOf()
      expect(pid).toMatch(/^\d+$/)
      await sh(owner, agent, `set -- ${pid}; ${attack}`)
      await until('another relay', async () => /^\d+$/.test(await pidOf()) && (await pidOf()) !== pid)
      await relayAnswers(owner, agent)
    }
  })
})

describe('a relay', () => {
  it('takes messages of both revisions from slipway-tools', async () => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'tests', version: '0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const params = { name: 'list_task_results', arguments: {} }
    const messages = [
      {
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'tests', version: '0' } },
      },
      { method: 'tools/call', params },
      { method: 'tools/call', params: { ...params, _meta: meta } },
    ]
    const lines = messages.map((message, id) => JSON.stringify({ jsonrpc: '2.0', id, ...message }))
    const printed = await sh(owner, agent, `slipway-tools <<'END'\n${lines.join('\n')}\nEND`)
    const answers = new Map(
      printed
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as { id: number; result?: unknown })
        .map(({ id, ...answer }) => [id, answer]),
    )
    expect(answers.get(0)).toMatchObject({ result: { protocolVersion: '2025-11-25', serverInfo: { name: 'slipway' } } })
    for (const id of [1, 2])
      expect(answers.get(id), String(id)).toMatchObject({
        result: { content: [{ type: 'text', text: 'You have no tasks.' }] },
      })
  })

  it('of the system agent has tools for as long as the admin who gave them is one', async () => {
    const other = await newUser(admin, 'admin')
    await giveTools(other, '/system-agent')
    await admin.ok('PATCH', `/users/${other.userId}`, { role: 'user' })
    expect(await admin.ok('GET', '/system-agent/tools')).toMatchObject({ token: { of: other.email }, inForce: false })
  })

  it('is small, and no process that was left', async () => {
    const pid = await pidOf()
    expect(Number(await sh(owner, agent, `ps -o rss= -p ${pid}`))).toBeLessThan(3000)
    expect(await owner.ok('GET', `/agents/${agent}/processes`)).toMatchObject({ items: [] })
  })

  it('has no tools for tasks from the moment when the agent is shared, or without its token', async () => {
    await owner.ok('POST', `/agents/${reader}/shares`, { email: stranger.email })
    expect(await askRelay(owner, reader, call('list_task_results', {}))).toContain('list_task_results not found')
    const tokenId = await giveTools(owner, `/agents/${bare}`)
    expect(await askRelay(owner, bare, call('list_task_results', {}))).toContain('You have no tasks.')
    await owner.ok('DELETE', `/tokens/${tokenId}`)
    expect(await askRelay(owner, bare, call('list_task_results', {}))).toContain('list_task_results not found')
  })
})
