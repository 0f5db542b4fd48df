/** Webhooks that tell other servers, with a receiver, for their tests. */
import { randomUUID } from 'node:crypto'
import type { CreatedWebhook, WebhookDelivery } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { afterEach, beforeEach, expect } from 'vitest'
import { MemoryEngine } from '../engine/memory-engine.ts'
import { addPerson, type Call, call, type Person } from '../people/people.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { newAgent, useTeam } from '../people/team.ts'
import { createIds } from '../../../src/lib/ids.ts'
import { RunRepository } from '../../../src/modules/runs/repository.ts'
import type { StoredRunEnd } from '../../../src/modules/runs/stored-end.ts'
import { WebhookOutbox } from '../../../src/modules/webhooks/outgoing/outbox-repository.ts'

export const END: StoredRunEnd = {
  state: 'failed',
  reason: 'cli_error',
  error: 'the words of a CLI',
  exitCode: 1,
  result: 'the result',
  costUsd: 0.5,
  costEstimated: false,
  usage: [],
  totals: [],
  cliSessionId: null,
  lastSeq: 3,
}

/** A server of its own, with what a test of outgoing webhooks does there. */
export const useWebhooks = () => {
  const lines: string[] = []
  const team = useTeam({
    runtime: new MemoryEngine().runtime,
    config: { webhookHosts: ['127.0.0.1'] },
    logStream: { write: (line) => void lines.push(line) },
  })
  let receiver: Receiver
  beforeEach(async () => {
    receiver = await startReceiver()
  })
  afterEach(async () => {
    await receiver.close()
    await team().database.prisma.webhook.deleteMany()
  })
  /** The user with a sign-in from the present time of the clock. */
  const fresh = async (person: Person): Promise<Person> => {
    const { identity, database } = team()
    const user = await database.prisma.user.findUniqueOrThrow({ where: { id: person.id } })
    const { body } = await identity.signIns.open(user, { address: '', requestId: null, userAgent: null })
    return { ...person, token: body.accessToken }
  }
  const send = async (person: Person, what: Call, body?: object) =>
    call(team().app, what, { token: (await fresh(person)).token, body })
  const ok = async <T>(person: Person, what: Call, body?: object): Promise<T> => {
    const response = await send(person, what, body)
    if (response.statusCode >= 300) throw new Error(`${what}: ${response.body}`)
    return (response.body === '' ? null : response.json()) as T
  }
  const refusal = async (person: Person, what: Call, body?: object): Promise<[number, string]> => {
    const response = await send(person, what, body)
    return [response.statusCode, response.json<{ code: string }>().code]
  }
  const someUser = async (): Promise<Person> =>
    addPerson(team(), await fresh(team().admin), `${randomUUID()}@example.org`)
  const hookOf = (person: Person, more: object = {}, base = '/webhooks'): Promise<CreatedWebhook> =>
    ok(person, `POST ${base}` as Call, { name: 'Mine', url: receiver.url, kinds: ['task.ended'], ...more })
  const deliveriesOf = (person: Person, { id }: { id: string }, base = '/webhooks'): Promise<WebhookDelivery[]> =>
    ok(person, `GET ${base}/${id}/deliveries` as Call)
  const received = (count: number) => until(`${count} deliveries`, () => receiver.received.length >= count)
  /** The newest delivery once it looks so. */
  const delivery = (person: Person, hook: { id: string }, is: (one: WebhookDelivery) => boolean) =>
    until('the delivery', async () => {
      const [newest] = await deliveriesOf(person, hook)
      return newest !== undefined && is(newest) && newest
    })
  const repository = (): RunRepository => {
    const { database, clock } = team()
    const outbox = new WebhookOutbox({ newId: createIds(clock), clock, baseUrl: () => 'https://slipway.example.org' })
    return new RunRepository(database.prisma, outbox)
  }
  /** A running task of the user. */
  const runningTask = async (person: Person, more: object = {}): Promise<string> => {
    const { prisma } = team().database
    const [id, name] = [randomUUID(), `a-${randomUUID().slice(0, 13)}`]
    const agent = await ok<{ id: string }>(person, 'POST /agents?wait=true', newAgent(name))
    const of = { id, sessionId: id, agentId: agent.id, agentName: name, userId: person.id, personal: true }
    const what = { provider: 'claude-code', prompt: 'the prompt', cwd: '/home/developer', timeoutSeconds: 300 }
    await prisma.codingRun.create({ data: { ...of, ...what, ...more, state: 'running' } })
    return id
  }
  /** A task of the user that ends now. */
  const endTask = async (person: Person, more: object = {}): Promise<string> => {
    const id = await runningTask(person, more)
    expect(await repository().end({ id, generation: 1 }, END)).toBe(true)
    return id
  }
  return {
    lines,
    team,
    fresh,
    send,
    ok,
    refusal,
    someUser,
    hookOf,
    deliveriesOf,
    received,
    delivery,
    repository,
    runningTask,
    endTask,
    receiver: () => receiver,
  }
}
