import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import type { CodingSession, RunEvent } from '@slipway/protocol'
import { RUN_LISTED_SECONDS } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { describe, expect, it } from 'vitest'
import { MINUTE_MS, SECOND_MS } from '../../lib/time/clock.ts'
import { addressOf, listen } from '../../../test/support/server/listener.ts'
import { as, newAgent, useTeam } from '../../../test/support/people/team.ts'
import { PLATFORM } from '../audit/actor.ts'
import { RunRepository } from './repository.ts'
import type { Entry } from './transcript/entry.ts'
import { TranscriptWriter } from './transcript/file.ts'
import { packSegment } from './transcript/segment.ts'

const END = {
  state: 'completed',
  reason: 'completed',
  error: null,
  exitCode: 0,
  result: 'done',
  costUsd: null,
  costEstimated: false,
  usage: [],
  totals: [],
  cliSessionId: null,
} as const

const PROVIDER = { provider: 'claude-code', displayName: null, outputFormat: null, mode: 'auto' } as const

const team = useTeam()
const owner = (...request: Parameters<ReturnType<typeof as>>) => as(team(), team().owner)(...request)
const repository = (): RunRepository => new RunRepository(team().database.prisma)
const folder = (): string => join(team().dataDir, 'transcripts')

/** A run of the owner with this many events; null: it is active. */
const someRun = async (events: number | null, textLength = 10): Promise<string> => {
  const id = randomUUID()
  const name = `a-${id.slice(0, 13)}`
  const agent = (await owner('POST /agents?wait=true', newAgent(name))).json<{ id: string }>()
  const facts = { ...PROVIDER, prompt: 'hi', cwd: '/home/developer', model: null, timeoutSeconds: 300 }
  const whose = {
    agentId: agent.id,
    agentName: name,
    userId: team().owner.id,
    resumed: null,
    cliSessionId: null,
    maxTurns: null,
    maxBudgetUsd: null,
  }
  const waits = { sessionId: id, via: null, viaId: null, queue: false, waitsForLimit: false }
  await repository().create({ id, ...whose, ...facts, ...waits, createdAt: new Date(team().clock.now()) }, 'starting')
  if (events === null) return id
  const writer = await TranscriptWriter.begin(folder(), id, { generation: 1, after: null })
  const entryOf = (seq: number): Entry => ({
    at: 1000,
    raw: `line ${seq}`,
    isCut: false,
    from: 'stdout',
    offsets: { stdout: seq, stderr: 0 },
    events: [{ seq, at: '2026-11-25T12:00:00.000Z', type: 'text', text: 'x'.repeat(textLength) }],
  })
  for (let first = 1; first <= events; first += 100)
    await writer.append(Array.from({ length: Math.min(100, events - first + 1) }, (_, index) => entryOf(first + index)))
  await writer.close()
  await repository().end({ id, generation: 1 }, { ...END, lastSeq: events })
  return id
}
const eventsOf = async (id: string, after = 0): Promise<number[]> => {
  const response = await owner(`GET /coding-agents/sessions/${id}/events?after=${after}`)
  expect(response.statusCode).toBe(200)
  const lines = response.body.split('\n').filter((line) => line !== '')
  return lines.map((line) => (JSON.parse(line) as RunEvent).seq)
}
const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1)

describe('a run that has ended', () => {
  it('has the same events and the same output after its transcript was compressed', async () => {
    const id = await someRun(5)
    const output = (await owner(`GET /coding-agents/sessions/${id}/output`)).json<object>()
    await packSegment(folder(), id, 1)
    expect(await eventsOf(id)).toEqual(upTo(5))
    expect(await eventsOf(id, 3)).toEqual([4, 5])
    expect((await owner(`GET /coding-agents/sessions/${id}/output`)).json()).toEqual(output)
  })

  it('keeps its result without its transcript, and says that the events were removed', async () => {
    const id = await someRun(3)
    rmSync(join(folder(), `${id}.1.ndjson`))
    const answer = await owner(`GET /coding-agents/sessions/${id}/events`)
    expect([answer.statusCode, answer.json<{ code: string }>().code]).toEqual([410, 'TRANSCRIPT_REMOVED'])
    // A client that has all of them misses nothing.
    expect(await eventsOf(id, 3)).toEqual([])
    const output = await owner(`GET /coding-agents/sessions/${id}/output`)
    expect(output.json()).toMatchObject({ output: '', hasOutput: false })
    expect((await owner(`GET /coding-agents/results/${id}`)).json()).toMatchObject({ output: 'done' })

    const page = await listen(team(), team().owner.token)
    page.socket.send(JSON.stringify({ type: 'coding-agent:subscribe', sessionId: id, after: 0 }))
    await page.hears('the refusal', () => page.of('coding-agent:session:error').length > 0)
    expect(page.of('coding-agent:session:error')[0]?.error).toMatch(/were removed/)
    page.socket.close()
  })

  it('stays in the list for a short time, and an active one is the first if it is newer', async () => {
    const ended = await someRun(1)
    team().clock.advance(1)
    const active = await someRun(null)
    const { prisma } = team().database
    const listed = async (): Promise<string[]> =>
      (await owner('GET /coding-agents/sessions')).json<CodingSession[]>().map(({ id }) => id)
    const endAt = (ms: number) =>
      prisma.codingRun.update({ where: { id: ended }, data: { endedAt: new Date(team().clock.now() - ms) } })
    await endAt(RUN_LISTED_SECONDS * SECOND_MS - 1000)
    expect(await listed()).toEqual([active, ended])
    await endAt(RUN_LISTED_SECONDS * SECOND_MS + 1000)
    expect(await listed()).toEqual([active])
    await prisma.codingRun.deleteMany({ where: { id: active } })
  })

  it('is listed with the beginning of a long prompt', async () => {
    const id = await someRun(null)
    const { prisma } = team().database
    await prisma.codingRun.update({ where: { id }, data: { prompt: 'é'.repeat(100_000) } })
    const sessions = (await owner('GET /coding-agents/sessions')).json<CodingSession[]>()
    expect(sessions.find((session) => session.id === id)?.prompt).toBe(`${'é'.repeat(1000)}…`)
    // The database has cut it.
    const { id: userId, email } = team().owner
    const caller = { userId, email, role: 'user', via: { kind: 'user', userId }, source: PLATFORM.source } as const
    const [row] = await repository().recentOf(caller, new Date(team().clock.now()))
    expect([row?.id, row?.prompt.length]).toEqual([id, 1001])
    await prisma.codingRun.deleteMany({ where: { id } })
  })
})

describe('a task that a user stops while no server follows it', () => {
  it('is told of as ended, its stream ends, and it is in the metrics', async () => {
    const id = await someRun(null)
    const page = await listen(team(), team().owner.token)
    const events = owner(`GET /coding-agents/sessions/${id}/events`)
    page.socket.send(JSON.stringify({ type: 'coding-agent:subscribe', sessionId: id, after: 0 }))
    await page.hears('that it is active', () => page.of('coding-agent:session:state').length > 0)
    expect((await owner(`DELETE /coding-agents/sessions/${id}`)).statusCode).toBe(202)
    await page.hears('its end', () => page.of('coding-agent:session:exit').length > 0)
    expect(page.of('coding-agent:session:exit')).toMatchObject([{ sessionId: id, reason: 'terminated' }])
    expect((await events).body).toBe('')
    const { body } = await as(team(), team().admin)('GET /metrics')
    expect(body).toMatch(/^slipway_tasks_ended_total\{provider="claude-code",reason="terminated"\} 1$/m)
    page.socket.close()
  })
})

describe('a page that reads slowly', () => {
  it('gets a long transcript in slices, and stays connected', async () => {
    const [events, textLength] = [600, 50_000]
    const id = await someRun(events, textLength)
    await addressOf(team())
    const sockets: Socket[] = []
    const onSocket = (socket: Socket) => sockets.push(socket)
    team().app.server.on('connection', onSocket)
    const page = await listen(team(), team().owner.token)
    team().app.server.off('connection', onSocket)
    const [socket] = sockets
    page.socket.send(JSON.stringify({ type: 'coding-agent:subscribe', sessionId: id, after: 0 }))
    page.socket.pause()
    await until('the network to be full', () => socket!.writableLength > 0)
    // Meanwhile the server reads the whole transcript for another client.
    expect(await eventsOf(id)).toEqual(upTo(events))
    expect(socket!.writableLength).toBeLessThan(200_000)
    page.socket.resume()
    const received = (): number[] => page.of('coding-agent:session:event').map(({ event }) => event.seq)
    await until('the last event', () => received().length >= events, MINUTE_MS)
    expect(received()).toEqual(upTo(events))
    expect(page.socket.readyState).toBe(page.socket.OPEN)
    page.socket.close()
  })
})
