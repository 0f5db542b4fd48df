/** Incoming webhooks of users, and the calls that they get. */
import { createHmac, randomUUID } from 'node:crypto'
import type { CreatedIncomingHook, HookReceipt, IncomingHook } from '@slipway/protocol'
import type { LightMyRequestResponse } from 'fastify'
import { afterEach } from 'vitest'
import { MemoryEngine } from '../engine/memory-engine.ts'
import { addPerson, type Call, type Person } from '../people/people.ts'
import { as, newAgent, useTeam } from '../people/team.ts'

export const BASE = '/incoming-webhooks'
export const TEMPLATE = 'Look at {{issue.title}} of {{repository.full_name}}'
export const PAYLOAD = JSON.stringify({ issue: { title: 'It fails' }, repository: { full_name: 'acme/rocket' } })

export const sign = (secret: string | null, body: string): string =>
  `sha256=${createHmac('sha256', secret ?? '')
    .update(body)
    .digest('hex')}`
export const receiptOf = (response: LightMyRequestResponse): HookReceipt => {
  if (response.statusCode !== 200) throw new Error(response.body)
  return response.json<HookReceipt>()
}

/** A team whose members have incoming webhooks. Call it once at the top of a file. */
export const useIncomingHooks = () => {
  const lines: string[] = []
  const team = useTeam({ runtime: new MemoryEngine().runtime, logStream: { write: (line) => void lines.push(line) } })
  afterEach(async () => {
    const { incomingHook, codingRun } = team().database.prisma
    await incomingHook.deleteMany()
    await codingRun.deleteMany({ where: { state: 'queued' } })
  })

  const ok = async <T>(person: Person, what: Call, body?: object): Promise<T> => {
    const response = await as(team(), person)(what, body)
    if (response.statusCode >= 300) throw new Error(`${what}: ${response.body}`)
    return (response.body === '' ? null : response.json()) as T
  }
  const refusal = async (person: Person, what: Call, body?: object): Promise<[number, string, string]> => {
    const response = await as(team(), person)(what, body)
    const { code, message } = response.json<{ code: string; message: string }>()
    return [response.statusCode, code, message]
  }
  const someUser = (): Promise<Person> => addPerson(team(), team().admin, `${randomUUID()}@example.org`)
  /** A stopped agent, in which tasks wait. */
  const agentOf = async (owner: Person): Promise<string> => {
    const name = `a-${randomUUID().slice(0, 13)}`
    await ok(owner, 'POST /agents?wait=true', newAgent(name))
    await ok(owner, `POST /agents/${name}/stop?wait=true`)
    return name
  }
  const hookOf = async (owner: Person, more: object = {}): Promise<CreatedIncomingHook> => {
    const fields = { name: 'Issues', source: 'github', prompt: TEMPLATE, ...more }
    return ok(owner, `POST ${BASE}`, { agent: await agentOf(owner), ...fields })
  }
  const get = (owner: Person, { id }: { id: string }) => ok<IncomingHook>(owner, `GET ${BASE}/${id}`)
  const post = (address: string, body: string | Buffer, headers: Record<string, string> = {}) =>
    team().app.inject({ method: 'POST', url: `/api/hooks/${address}`, payload: body, headers })
  /** A call as GitHub makes it. */
  const github = (hook: CreatedIncomingHook, more: Record<string, string> = {}, body = PAYLOAD) =>
    post(hook.id, body, {
      'content-type': 'application/json',
      'x-github-event': 'issues',
      'x-github-delivery': randomUUID(),
      'x-hub-signature-256': sign(hook.secret, body),
      ...more,
    })
  const runsOf = ({ id: userId }: Person) => team().database.prisma.codingRun.findMany({ where: { userId } })

  return { lines, team, ok, refusal, someUser, agentOf, hookOf, get, post, github, runsOf }
}
