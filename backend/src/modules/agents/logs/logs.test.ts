/** A client follows an agent's log over a real connection, with real containers. */
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import type { Agent, LogEntry } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { longIt } from '@slipway/testing/forms'
import { afterEach, describe, expect, it } from 'vitest'
import { TestClock } from '../../../../test/support/clock.ts'
import { IMAGE, useEngine } from '../../../../test/support/engine/engine.ts'
import { heldBytes } from '../../../../test/support/held-bytes.ts'
import { addressOf } from '../../../../test/support/server/listener.ts'
import { call, type Person } from '../../../../test/support/people/people.ts'
import { as, newAgent, useTeam } from '../../../../test/support/people/team.ts'
import { Signal } from '../../../lib/emitter.ts'
import type { Snapshot } from '../state/board.ts'
import { followLog } from './follow.ts'
import { FOLLOWED_PER_USER } from '../agents.ts'
import type { Recorded } from './agent-log.ts'

const { docker, runtime, namespace } = useEngine()
/** The lines of containers have the time of this machine, so the server's lines must have it, too. */
class RealClock extends TestClock {
  override now(): number {
    return Date.now()
  }
}
const team = useTeam({ runtime, clock: new RealClock(), config: { namespace, images: [IMAGE] } })
const owner = (...request: Parameters<ReturnType<typeof as>>) => as(team(), team().owner)(...request)
const admin = (...request: Parameters<ReturnType<typeof as>>) => as(team(), team().admin)(...request)

class Follow {
  readonly response: IncomingMessage
  /** Number of heartbeats that arrived. */
  blanks = 0
  readonly entries: LogEntry[] = []
  ended = false
  #rest = ''

  constructor(response: IncomingMessage) {
    this.response = response
    response.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (this.#rest + chunk).split('\n')
      this.#rest = lines.pop() ?? ''
      for (const line of lines)
        if (line === '') this.blanks += 1
        else this.entries.push(JSON.parse(line) as LogEntry)
    })
    response.on('close', () => (this.ended = true)).on('error', () => undefined)
  }

  get texts(): string[] {
    return this.entries.map(({ text }) => text)
  }
}

const open: Follow[] = []
afterEach(() => {
  for (const { response } of open.splice(0)) response.destroy()
})

const follow = async (
  name: string,
  { person = team().owner, query = '' }: { person?: Person; query?: string } = {},
) => {
  const url = `http://${await addressOf(team())}/api/${name}/logs/follow${query}`
  const request = get(url, { headers: { authorization: `Bearer ${person.token}` } })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const following = new Follow(response)
  open.push(following)
  return following
}
const create = async (name: string) => (await owner('POST /agents?wait=true', newAgent(name))).json<Agent>()
const container = (name: string) => docker.getContainer(`${namespace}-agent-${name}`)
const write = async (name: string, script: string) => {
  const { Id } = await container(name).inspect()
  return runtime.run(Id, { argv: ['sh', '-c', script], timeoutMs: 60_000, maxOutputBytes: 1000 })
}
const say = (name: string, text: string, fd = 1) => write(name, `echo '${text}' >/proc/1/fd/${fd}`)

describe('a followed log', () => {
  it('begins with what happened and what was written, in the order of time, and goes on', async () => {
    await create('told')
    const isStored = async () =>
      (await team().database.prisma.agentEvent.count({ where: { agent: { name: 'told' } } })) === 2
    await until('the lines of its start', isStored)
    await say('told', 'first')
    await say('told', 'to the error output', 2)
    const following = await follow('agents/told')
    expect(following.response.headers['content-type']).toBe('application/x-ndjson')
    await until('the past', () => following.texts.includes('to the error output'))
    expect(following.texts).toEqual(['Creating container.', 'Started.', 'first', 'to the error output'])
    expect(following.entries.map(({ source, kind }) => kind ?? source)).toEqual([
      'creating',
      'started',
      'stdout',
      'stderr',
    ])
    await say('told', 'live')
    await until('the line', () => following.texts.at(-1) === 'live')
    const times = following.entries.map(({ at }) => at)
    expect(times).toEqual(times.toSorted())
  })

  it('goes on over a stop, a start and a container made anew, and loses and repeats no line', async () => {
    await create('restarted')
    const following = await follow('agents/restarted')
    await say('restarted', 'one')
    await until('the first', () => following.texts.includes('one'))
    await owner('POST /agents/restarted/restart?wait=true')
    await say('restarted', 'two')
    await until('the second', () => following.texts.includes('two'))
    await owner('PATCH /agents/restarted', { memoryMb: 300 })
    await owner('POST /agents/restarted/restart?wait=true')
    await say('restarted', 'three')
    await until('the third', () => following.texts.includes('three'))
    const told = (...some: string[]): string[] => following.texts.filter((text) => some.includes(text))
    expect(told('one', 'two', 'three')).toEqual(['one', 'two', 'three'])
    // A line of the platform arrives once it is in the database.
    const last = () => told('Stopping.', 'Starting.', 'Started.').slice(-2)
    await expect.poll(last).toEqual(['Starting.', 'Started.'])
  })

  // `follow-routes.test.ts` has the reasons, which the agent shows, too.
  longIt('says why a container ended', async () => {
    await create('killed')
    const following = await follow('agents/killed')
    await container('killed').kill()
    await until('the reason', () => following.texts.includes('Its container was killed (exit code 137).'))
    expect(following.entries.at(-1)).toMatchObject({ kind: 'failed', source: 'platform' })
    // The line is stored, so a later reader gets it, too.
    const later = await follow('agents/killed', { query: '?tail=1' })
    await until('the past', () => later.entries.length > 0)
    expect(later.texts).toEqual(['Its container was killed (exit code 137).'])
  })

  // The test before goes on from the lines that it knows.
  longIt('gives only what is newer than a line that is known', async () => {
    await create('resumed')
    for (const word of ['a', 'b', 'c']) await say('resumed', word)
    const first = await follow('agents/resumed')
    await until('the past', () => first.texts.includes('c'))
    const known = first.entries.find(({ text }) => text === 'a')?.at ?? ''
    const second = await follow('agents/resumed', { query: `?since=${encodeURIComponent(known)}` })
    await say('resumed', 'd')
    await until('the new one', () => second.texts.includes('d'))
    expect(second.texts).toEqual(['b', 'c', 'd'])
    const bad = await owner('GET /agents/resumed/logs/follow?since=yesterday')
    expect(bad.json()).toMatchObject({ code: 'VALIDATION' })
  })

  it('makes a flood wait for a slow reader', async () => {
    await create('flooding')
    const following = await follow('agents/flooding')
    await until('the past', () => following.texts.includes('Started.'))
    following.response.pause()
    const before = heldBytes()
    await write('flooding', `yes ${'x'.repeat(200)} | head -c 6000000 >/proc/1/fd/1; printf '\\nEND\\n' >/proc/1/fd/1`)
    await until('all but little of it to be free', () => heldBytes() - before < 4_000_000)
    following.response.resume()
    await until('the end', () => following.texts.at(-1) === 'END')
    expect(following.texts.filter((text) => text === 'x'.repeat(200)).length).toBe(Math.floor(6_000_000 / 201))
  })

  // In the short form the log goes on over a stop, a start and another container.
  longIt('goes on where the engine falls silent because the log was rotated under it', async () => {
    const { id } = await create('rotated')
    const signal = AbortSignal.timeout(50_000)
    const signals = { recorded: new Signal<Recorded>(), changed: new Signal<string>() }
    const { Id } = await container('rotated').inspect()
    const board = { changed: signals.changed, get: () => ({ runningId: Id, container: { id: Id } }) as Snapshot }
    const agentLog = { recorded: signals.recorded, recent: () => Promise.resolve([]) }
    const options = { agentId: id, tail: 10, since: null, signal, heartbeatMs: 300 }
    const entries = followLog({ runtime, board, agentLog }, options)
    await say('rotated', 'begin')
    await entries.next()
    // More than the engine keeps, while the reader pauses.
    await write('rotated', `yes ${'x'.repeat(500)} | head -c 36000000 >/proc/1/fd/1; printf '\\nEND\\n' >/proc/1/fd/1`)
    let last = ''
    while (last !== 'END') {
      const { value } = await entries.next()
      if (!value) break
      last = value.at(-1)?.text ?? last
    }
    expect(last).toBe('END')
    await entries.return()
    expect([signals.recorded.size, signals.changed.size]).toEqual([0, 0])
  })

  it('ends at once when the right to it ends, and when the agent is deleted', async () => {
    await create('taken')
    const { colleague } = team()
    const share = (await owner('POST /agents/taken/shares', { email: colleague.email })).json<{ userId: string }>()
    const [theirs, mine, admins] = await Promise.all([
      follow('agents/taken', { person: colleague }),
      follow('agents/taken'),
      follow('agents/taken', { person: team().admin }),
    ])
    await until('the past', () => theirs.entries.length > 0 && mine.entries.length > 0 && admins.entries.length > 0)
    await owner(`DELETE /agents/taken/shares/${share.userId}`)
    await until('their end', () => theirs.ended)
    expect([mine.ended, admins.ended]).toEqual([false, false])
    await owner('DELETE /agents/taken')
    await until('the end for both readers', () => mine.ended && admins.ended)
  })

  it('ends with an API token that is revoked', async () => {
    await create('tokened')
    const body = { name: 'follower', scopes: ['agents:read'] }
    const { id, token } = (await owner('POST /tokens', body)).json<{ id: string; token: string }>()
    const following = await follow('agents/tokened', { person: { ...team().owner, token } })
    await until('the past', () => following.entries.length > 0)
    await owner(`DELETE /tokens/${id}`)
    await until('its end', () => following.ended)
    const again = await call(team().app, 'GET /agents/tokened/logs/follow', { token })
    expect(again.statusCode).toBe(401)
  })

  it('is given to one user so many times at once, and again when one is closed', async () => {
    await create('popular')
    const following: Follow[] = []
    for (let count = 0; count < FOLLOWED_PER_USER; count++) following.push(await follow('agents/popular'))
    const refused = await owner('GET /agents/popular/logs/follow')
    expect(refused.json()).toMatchObject({ statusCode: 429, code: 'TOO_MANY_REQUESTS' })
    following[0]?.response.destroy()
    const again = await until('a free place', async () => {
      const one = await follow('agents/popular')
      return one.response.statusCode === 200 ? one : null
    })
    await until('the past', () => again.texts.includes('Started.'))
  })

  it('is there for the system agent, to admins', async () => {
    const following = await follow('system-agent', { person: team().admin })
    await until('its past', () => following.entries.length > 0)
    expect((await owner('GET /system-agent/logs/follow')).statusCode).toBe(403)
    expect((await admin('GET /system-agent/logs')).statusCode).toBe(200)
  })
})

describe('the figures over time', () => {
  it('are there from the first look on, and after a stop', async () => {
    await create('charted')
    const stats = await owner('GET /agents/charted/stats')
    expect(stats.json()).toMatchObject({ memoryLimitBytes: 256 * 2 ** 20, diskReadBytes: expect.any(Number) as number })
    const history = (await owner('GET /agents/charted/stats/history')).json<{ at: number[]; memoryBytes: number[] }>()
    expect(history.at.length).toBeGreaterThan(0)
    expect(history.memoryBytes[0]).toBeGreaterThan(0)
    await owner('POST /agents/charted/stop?wait=true')
    const stopped = (await owner('GET /agents/charted/stats/history?minutes=15')).json<{ memoryBytes: unknown[] }>()
    expect(stopped.memoryBytes.at(-1)).toBeNull()
    expect((await owner('GET /agents/charted/stats/history?minutes=7')).json()).toMatchObject({ code: 'VALIDATION' })
    expect((await owner('GET /agents/charted/stats/history?minutes=1440')).statusCode).toBe(200)
  })
})
