/** What hostile programs in an agent can do with questions and notices. */
import { randomUUID } from 'node:crypto'
import { type AgentShown, ASKS_OPEN_PER_AGENT, type Dialog, NOTICES_KEPT, NOTICES_PER_MINUTE } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { sh } from '../../support/tasks/model.ts'
import { askRelay, RELAY_SOCKET, relayAnswers } from '../../support/tasks/relay.ts'

let owner: Client
let stranger: Client
let agent = ''
/** Of another user. */
let theirs = ''
beforeAll(async () => {
  const admin = await signInAdmin()
  owner = await newUser(admin)
  stranger = await newUser(admin)
  agent = (await owner.agent()).name
  theirs = (await stranger.agent()).name
  await relayAnswers(owner, agent)
  await relayAnswers(stranger, theirs)
})
afterAll(async () => {
  await owner.ok('DELETE', `/agents/${agent}`)
  await stranger.ok('DELETE', `/agents/${theirs}`)
})

const confirm = (title: string, more: object = {}) => ({
  id: randomUUID(),
  title,
  question: { kind: 'confirm' },
  ...more,
})
/** Sends a body to a path behind the relay. A question has an answer at once only if it is refused. */
const post = (client: Client, name: string, path: string, body: object, args = ''): Promise<string> =>
  askRelay(client, name, `${args} -d '${JSON.stringify(body).replaceAll("'", "'\\''")}' http://slipway/api${path}`)
/** Requests that wait for the answers to their questions. */
const waiting: Promise<unknown>[] = []
/** Asks a question, which is open then. */
const ask = async (client: Client, name: string, body: object, args = ''): Promise<void> => {
  const before = (await openOf(client, name)).length
  waiting.push(post(client, name, '/ask', body, args))
  await until('the question', async () => (await openOf(client, name)).length > before)
}
/** The command's own request when it is ended. */
const withdraw = (client: Client, name: string, id: string): Promise<string> =>
  sh(
    client,
    name,
    `curl -sS -X DELETE --unix-socket ${RELAY_SOCKET} -w '\\n%{http_code}\\n' http://slipway/api/ask/${id}`,
  )
const openOf = async (client: Client, name: string): Promise<Dialog[]> =>
  (await client.ok<Dialog[]>('GET', '/dialogs?state=open')).filter((dialog) => dialog.agent === name)
const withdrawAll = async (client: Client, name: string): Promise<void> => {
  for (const { id } of await openOf(client, name)) await client.ok('DELETE', `/dialogs/${id}`)
}

afterEach(async () => {
  await withdrawAll(owner, agent)
  await withdrawAll(stranger, theirs)
  await Promise.all(waiting.splice(0))
})

/**
 * A program that sends as many requests as it can, and prints how often it got each status. `unanswered` of them wait: it
 * gives up these after five seconds. An answer may take longer on a busy machine.
 */
const flood = (count: number, path: string, body: string, unanswered = 0): string => `python3 - <<'END'
import collections, json, socket, threading, uuid
seen = collections.Counter()
def one():
    body = json.dumps(${body}).encode()
    try:
        with socket.socket(socket.AF_UNIX) as s:
            s.settimeout(5 if seen['waits'] < ${unanswered} else 60)
            s.connect('${RELAY_SOCKET}')
            s.sendall(b'POST /api${path} HTTP/1.0\\r\\nhost: a\\r\\ncontent-type: application/json\\r\\ncontent-length: %d\\r\\n\\r\\n' % len(body) + body)
            seen[s.recv(64).split(b' ')[1].decode()] += 1
    except TimeoutError:
        seen['waits'] += 1
    except Exception:
        seen['closed'] += 1
for _ in range(${count} // 10):
    threads = [threading.Thread(target=one) for _ in range(10)]
    for t in threads: t.start()
    for t in threads: t.join()
print(json.dumps(seen))
END`

describe('a hostile program', () => {
  it('that floods people with questions has a bounded number of them, and takes no place of others', async () => {
    const asks = `{'id': str(uuid.uuid4()), 'title': 'Again?', 'question': {'kind': 'confirm'}}`
    const seen = JSON.parse(await sh(owner, agent, flood(60, '/ask', asks, ASKS_OPEN_PER_AGENT))) as Record<
      string,
      number
    >
    expect(await openOf(owner, agent)).toHaveLength(ASKS_OPEN_PER_AGENT)
    expect(seen['409']).toBe(60 - ASKS_OPEN_PER_AGENT)
    expect(await post(owner, agent, '/ask', confirm('More?'))).toMatch(/"TOO_MANY_DIALOGS".*\n409\n$/s)

    await ask(stranger, theirs, confirm('Mine?'))
    expect(await openOf(stranger, theirs)).toMatchObject([{ title: 'Mine?' }])
  })

  it('that floods people with notices is slowed down, and takes no place of others', async () => {
    const seen = JSON.parse(await sh(owner, agent, flood(60, '/notify', `{'message': 'Look!'}`))) as Record<
      string,
      number
    >
    // Some more fit while it runs.
    expect(seen['204']).toBeGreaterThanOrEqual(NOTICES_PER_MINUTE)
    expect(seen['429']).toBeGreaterThan(10)
    const { notices } = await owner.ok<AgentShown>('GET', `/agents/${agent}/shown`)
    expect(notices).toHaveLength(NOTICES_KEPT)
    expect(await post(stranger, theirs, '/notify', { message: 'Hello' })).toMatch(/\n204\n$/)
  })

  it('sends no text beyond a bound', async () => {
    expect(await post(owner, agent, '/ask', confirm('x'.repeat(201)))).toMatch(/body\.title.*\n400\n$/s)
    expect(await post(owner, agent, '/show', { kind: 'status', key: 'k', lines: ['x'.repeat(501)] })).toMatch(
      /\n400\n$/,
    )
    expect(await post(owner, agent, '/show', { kind: 'working', lines: ['one', 'two'] })).toMatch(/\n400\n$/)
    await sh(owner, agent, `head -c 200000 /dev/zero | tr '\\0' x >large`)
    for (const path of ['ask', 'notify', 'show'])
      expect(await askRelay(owner, agent, `--data-binary @large http://slipway/api/${path}`)).toMatch(/\n413\n$/)
    expect(await openOf(owner, agent)).toEqual([])
  })

  it('reaches no question of another agent, and answers none', async () => {
    const question = confirm('Whose?')
    await ask(owner, agent, question)
    const [mine] = await openOf(owner, agent)
    // The same id is another question there.
    await ask(stranger, theirs, { ...question, title: 'Another' })
    expect(await openOf(owner, agent)).toEqual([mine])
    expect(await withdraw(stranger, theirs, question.id)).toMatch(/withdrawn.*\n200\n$/s)
    expect(await withdraw(stranger, theirs, mine!.id)).toMatch(/\n404\n$/)
    expect(await openOf(owner, agent)).toEqual([mine])
    for (const [name, client] of [
      [agent, owner],
      [theirs, stranger],
    ] as const)
      expect(await post(client, name, `/dialogs/${mine!.id}/answer`, { value: true })).toMatch(/\n404\n$/)
    expect(await openOf(owner, agent)).toEqual([mine])
  })

  it('is of no task and no user that it names', async () => {
    const claims = `-H 'x-slipway-session: ${randomUUID()}' -H 'authorization: Bearer ${stranger.token}' -H 'x-agent: ${theirs}'`
    await ask(owner, agent, confirm('Who am I?'), claims)
    expect(await openOf(owner, agent)).toMatchObject([{ agent, sessionId: null, userId: null, closedBy: null }])
    expect(await openOf(stranger, agent)).toEqual([])
  })

  it('sends no escape sequence, no secret of its agent, and markup only as text', async () => {
    const secret = 'of-the-agent-4711-and-secret'
    await owner.ok('PUT', `/agents/${agent}/variables/SECRET`, { value: secret, secret: true })
    const title = `<img src=x onerror=alert(1)>\u001b]0;owned\u0007 ${secret}`
    await ask(owner, agent, confirm(title, { message: 'two\nlines\u001b[2J\u0000' }))
    const [dialog] = await openOf(owner, agent)
    expect(dialog).toMatchObject({
      title: '<img src=x onerror=alert(1)>\uFFFD]0;owned\uFFFD ***',
      message: 'two\nlines\uFFFD[2J\uFFFD',
    })
    await post(owner, agent, '/show', { kind: 'title', lines: [`\u009b31m${secret}`] })
    expect(await owner.ok<AgentShown>('GET', `/agents/${agent}/shown`)).toMatchObject({
      shown: [{ kind: 'title', key: '', lines: ['\uFFFD31m***'] }],
    })
  })
})
