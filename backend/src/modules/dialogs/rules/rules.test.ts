/** Approval rules of users, agents and the platform. */
import { randomUUID } from 'node:crypto'
import { type ApprovalRule, type Dialog, type RuleCovers, RULES_MAX } from '@slipway/protocol'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { MemoryEngine } from '../../../../test/support/engine/memory-engine.ts'
import { addPerson, type Call, type Person } from '../../../../test/support/people/people.ts'
import { as, newAgent, useTeam } from '../../../../test/support/people/team.ts'

const team = useTeam({ runtime: new MemoryEngine().runtime })
const AGENT = 'ruled'
const BASE = '/approval-rules'
const OF_AGENT = `/agents/${AGENT}${BASE}` as const
const OF_PLATFORM = `/platform${BASE}` as const
const PUSH: RuleCovers = { kind: 'command', words: ['git', 'push'], exact: false }

const ok = async <T>(person: Person, what: Call, body?: object): Promise<T> => {
  const response = await as(team(), person)(what, body)
  if (response.statusCode >= 300) throw new Error(`${what}: ${response.body}`)
  return (response.body === '' ? null : response.json()) as T
}
const refusal = async (person: Person, what: Call, body?: object): Promise<string> =>
  (await as(team(), person)(what, body)).json<{ code: string }>().code
const make = (person: Person, base: string = BASE, more: object = {}): Promise<ApprovalRule> =>
  ok(person, `POST ${base}` as Call, { decision: 'allow', covers: PUSH, ...more })

beforeAll(async () => {
  const { owner, colleague } = team()
  await as(team(), owner)('POST /agents?wait=true', newAgent(AGENT))
  await as(team(), owner)(`POST /agents/${AGENT}/shares`, { email: colleague.email })
})
afterEach(() => team().database.prisma.approvalRule.deleteMany())

describe('an approval rule', () => {
  it('is of a user, of an agent or of the platform, and is listed for those for whom it counts', async () => {
    const { owner, colleague, stranger, admin } = team()
    const mine = await make(owner)
    const ofAgent = await make(owner, OF_AGENT, { decision: 'deny' })
    const ofAll = await make(admin, OF_PLATFORM)
    expect(mine).toMatchObject({ of: 'user', decision: 'allow', covers: PUSH, createdBy: owner.email, expiresAt: null })
    expect(await ok(owner, `GET ${BASE}`)).toEqual([mine, ofAll])
    expect(await ok(colleague, `GET ${BASE}`)).toEqual([ofAll])
    expect(await ok(colleague, `GET ${OF_AGENT}`)).toEqual([ofAgent])
    expect(await refusal(stranger, `GET ${OF_AGENT}`)).toBe('NOT_FOUND')
  })

  it('is made and deleted by its owner only', async () => {
    const { owner, colleague, stranger, admin } = team()
    const mine = await make(owner)
    const ofAgent = await make(admin, OF_AGENT)
    const ofAll = await make(admin, OF_PLATFORM)
    const rule = { decision: 'allow', covers: PUSH }
    expect(await refusal(colleague, `POST ${OF_AGENT}`, rule)).toBe('FORBIDDEN')
    expect(await refusal(stranger, `POST ${OF_AGENT}`, rule)).toBe('NOT_FOUND')
    expect(await refusal(owner, `POST ${OF_PLATFORM}`, rule)).toBe('FORBIDDEN')
    for (const id of [mine.id, ofAgent.id, ofAll.id, randomUUID(), 'nonsense'])
      expect(await refusal(colleague, `DELETE ${BASE}/${id}`)).toBe('NOT_FOUND')
    // Each rule has the address of its owner only.
    expect(await refusal(admin, `DELETE ${OF_PLATFORM}/${ofAgent.id}`)).toBe('NOT_FOUND')
    expect(await refusal(owner, `DELETE ${OF_AGENT}/${mine.id}`)).toBe('NOT_FOUND')
    await ok(owner, `DELETE ${OF_AGENT}/${ofAgent.id}`)
    await ok(owner, `DELETE ${BASE}/${mine.id}`)
    expect(await ok(owner, `GET ${BASE}`)).toEqual([ofAll])
  })

  it('ends at its time, and then counts for nothing', async () => {
    const { owner } = team()
    const expiresAt = new Date(team().clock.now() + 60_000).toISOString()
    expect(await make(owner, BASE, { expiresAt })).toMatchObject({ expiresAt })
    team().clock.advance(60_000)
    expect(await ok(owner, `GET ${BASE}`)).toEqual([])
    expect(await refusal(owner, `POST ${BASE}`, { decision: 'allow', covers: PUSH, expiresAt })).toBe('VALIDATION')
    // The place that it had is free again.
    await make(owner)
    expect(await team().database.prisma.approvalRule.count()).toBe(1)
  })

  it('takes the place of an equal one', async () => {
    const { owner } = team()
    await make(owner, BASE, { expiresAt: new Date(team().clock.now() + 60_000).toISOString() })
    const again = await make(owner, BASE, { covers: { exact: false, words: ['git', 'push'], kind: 'command' } })
    const other = await make(owner, BASE, { covers: { ...PUSH, exact: true } })
    expect(await ok(owner, `GET ${BASE}`)).toEqual([again, other])
  })

  it.each<[what: string, fields: object]>([
    ['no words', { covers: { ...PUSH, words: [] } }],
    ['a word with a line feed', { covers: { ...PUSH, words: ['git\npush'] } }],
    ['the beginning of a command that runs another one', { covers: { ...PUSH, words: ['sudo'] } }],
    ['a program of which only options are named', { covers: { ...PUSH, words: ['git', '-c', 'a=b'] } }],
    ['a relative path', { covers: { kind: 'path', path: 'src' } }],
    ['a path with dots', { covers: { kind: 'path', path: '/home/developer/../x' } }],
    ['the root', { covers: { kind: 'path', path: '/' } }],
    ['a kind that is none', { covers: { kind: 'all' } }],
    ['fields of two kinds', { covers: { ...PUSH, tool: 'Bash' } }],
    ['no decision', { decision: 'ask' }],
    ['a time that is none', { expiresAt: 'tomorrow' }],
  ])('with %s is refused', async (_what, fields) => {
    expect(await refusal(team().owner, `POST ${BASE}`, { decision: 'allow', covers: PUSH, ...fields })).toBe(
      'VALIDATION',
    )
  })

  it('may deny what it could not allow', async () => {
    expect(await make(team().owner, BASE, { decision: 'deny', covers: { ...PUSH, words: ['sudo'] } })).toMatchObject({
      decision: 'deny',
    })
  })

  it(`is refused beyond ${RULES_MAX}, also of two requests at once, and goes with its user and its agent`, async () => {
    const owner = await addPerson(team(), team().admin, `${randomUUID()}@example.org`)
    const { approvalRule, user } = team().database.prisma
    const createdAt = new Date(team().clock.now())
    const data = Array.from({ length: RULES_MAX - 1 }, (_, count) => ({
      ...{ id: randomUUID(), userId: owner.id, decision: 'deny', createdAt, createdBy: owner.email },
      covers: { kind: 'tool', tool: `${count}` },
    }))
    await approvalRule.createMany({ data })
    const answers = await Promise.all(
      ['x', 'y'].map((tool) => as(team(), owner)(`POST ${BASE}`, { decision: 'deny', covers: { kind: 'tool', tool } })),
    )
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([201, 409])
    expect(await refusal(owner, `POST ${BASE}`, { decision: 'allow', covers: PUSH })).toBe('TOO_MANY_RULES')
    await user.delete({ where: { id: owner.id } })
    expect(await approvalRule.count({ where: { createdBy: owner.email } })).toBe(0)
  })
})

describe('an answer that counts from then on', () => {
  const approval = (tier: number, rules: RuleCovers[]) => ({
    ...{ kind: 'approval', tool: 'Bash', command: 'git push', path: null, input: {}, why: null },
    ...{ tier, reasons: [], editable: true, rules },
  })
  const asked = async (person: Person, question: object = approval(2, [PUSH])): Promise<string> => {
    const { prisma } = team().database
    const agent = await prisma.agent.findUniqueOrThrow({ where: { name: AGENT } })
    const of = { id: randomUUID(), agentId: agent.id, agentName: AGENT, userId: person.id, personal: false }
    return (await prisma.dialog.create({ data: { ...of, title: 'Sure?', question, state: 'open' } })).id
  }
  const answer = (id: string): Call => `POST /dialogs/${id}/answer`

  it('makes the rules that the question shows, with their origin in the audit log', async () => {
    const { owner, admin } = team()
    const id = await asked(owner, approval(2, [PUSH, { kind: 'tool', tool: 'x' }]))
    const said = await ok<Dialog>(owner, answer(id), { decision: 'allow', always: { of: 'user' } })
    expect(said).toMatchObject({ state: 'answered', answer: { decision: 'allow', always: { of: 'user' } } })
    const rules = await ok<ApprovalRule[]>(owner, `GET ${BASE}`)
    expect(rules.map(({ covers }) => covers)).toEqual(expect.arrayContaining([PUSH, { kind: 'tool', tool: 'x' }]))
    const { items } = await ok<{ items: { detail: object }[] }>(admin, 'GET /audit?action=rule.created&limit=2')
    expect(items).toMatchObject([{ detail: { dialogId: id } }, { detail: { dialogId: id } }])
  })

  it('denies from then on, too, also what is always asked about', async () => {
    const { owner } = team()
    const id = await asked(owner, approval(3, [PUSH]))
    expect(await refusal(owner, answer(id), { decision: 'allow', always: { of: 'user' } })).toBe('VALIDATION')
    const expiresAt = new Date(team().clock.now() + 60_000).toISOString()
    await ok(owner, answer(id), { decision: 'deny', reason: 'No.', always: { of: 'agent', expiresAt } })
    expect(await ok(owner, `GET ${OF_AGENT}`)).toMatchObject([{ decision: 'deny', covers: PUSH, expiresAt }])
  })

  it.each<[what: string, question: object, body: object]>([
    ['no rule can decide', approval(2, []), {}],
    ['another command was allowed', approval(2, [PUSH]), { command: 'git pull' }],
    ['it is no approval', { kind: 'confirm' }, {}],
  ])('is refused where %s', async (_what, question, body) => {
    const id = await asked(team().owner, question)
    expect(await refusal(team().owner, answer(id), { decision: 'allow', always: { of: 'user' }, ...body })).toBe(
      'VALIDATION',
    )
    expect(await ok(team().owner, `GET ${BASE}`)).toEqual([])
  })

  it('is refused to a user who may not make the rule, and leaves the question open', async () => {
    const { owner, colleague, admin } = team()
    const id = await asked(colleague)
    const always = (of: string) => ({ decision: 'allow', always: { of } })
    expect(await refusal(owner, answer(id), always('user'))).toBe('FORBIDDEN')
    expect(await refusal(owner, answer(id), always('platform'))).toBe('FORBIDDEN')
    expect(await refusal(colleague, answer(id), always('agent'))).toBe('FORBIDDEN')
    expect(await refusal(colleague, answer(id), always('platform'))).toBe('FORBIDDEN')
    expect(await ok(colleague, `GET /dialogs/${id}`)).toMatchObject({ state: 'open' })
    await ok(admin, answer(id), always('platform'))
    expect(await ok(owner, `GET ${BASE}`)).toMatchObject([{ of: 'platform' }])
  })

  it('leaves the question open if there are too many rules', async () => {
    const { owner } = team()
    const createdAt = new Date(team().clock.now())
    const covers = (tool: number) => ({ kind: 'tool', tool: `${tool}` })
    await team().database.prisma.approvalRule.createMany({
      data: Array.from({ length: RULES_MAX }, (_, at) => ({
        ...{ id: randomUUID(), userId: owner.id, decision: 'deny', covers: covers(at), createdAt, createdBy: '' },
      })),
    })
    const id = await asked(owner)
    expect(await refusal(owner, answer(id), { decision: 'allow', always: { of: 'user' } })).toBe('TOO_MANY_RULES')
    expect(await ok(owner, `GET /dialogs/${id}`)).toMatchObject({ state: 'open', answer: null })
  })
})
