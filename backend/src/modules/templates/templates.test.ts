import { randomUUID } from 'node:crypto'
import { type PromptTemplate, TEMPLATE_SHOWN, TEMPLATES_MAX } from '@slipway/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import { MemoryEngine } from '../../../test/support/engine/memory-engine.ts'
import { addPerson, type Call, type Person } from '../../../test/support/people/people.ts'
import { as, useTeam } from '../../../test/support/people/team.ts'

const team = useTeam({ runtime: new MemoryEngine().runtime })
afterEach(() => team().database.prisma.promptTemplate.deleteMany())

const BASE = '/prompt-templates'
const ok = async <T>(person: Person, what: Call, body?: object): Promise<T> => {
  const response = await as(team(), person)(what, body)
  if (response.statusCode >= 300) throw new Error(`${what}: ${response.body}`)
  return (response.body === '' ? null : response.json()) as T
}
const refusal = async (person: Person, what: Call, body?: object): Promise<string> =>
  (await as(team(), person)(what, body)).json<{ code: string }>().code
const someUser = (): Promise<Person> => addPerson(team(), team().admin, `${randomUUID()}@example.org`)
const add = (person: Person, name: string, prompt = 'Fix {{ticket}}', base: string = BASE): Promise<PromptTemplate> =>
  ok(person, `POST ${base}` as Call, { name, prompt })

describe('a template of a prompt', () => {
  it('is listed with those of the platform, and with its whole prompt for itself', async () => {
    const [owner, other] = [await someUser(), await someUser()]
    const prompt = `Fix {{ticket}}: ${'x'.repeat(TEMPLATE_SHOWN)}`
    const mine = await add(owner, ' b of mine ', prompt)
    const shared = await add(team().admin, 'A of all', 'Review {{branch}}', `/platform${BASE}`)
    await add(other, 'of another')
    expect(mine).toMatchObject({ of: 'user', name: 'b of mine', prompt })
    expect(await ok(owner, `GET ${BASE}`)).toEqual([shared, { ...mine, prompt: `${prompt.slice(0, TEMPLATE_SHOWN)}…` }])
    expect(await ok(owner, `GET ${BASE}/${mine.id}`)).toEqual(mine)
    expect(await ok(other, `GET ${BASE}/${shared.id}`)).toMatchObject({ of: 'platform', prompt: 'Review {{branch}}' })
  })

  it('belongs to its owner: others neither see nor change it', async () => {
    const [owner, other] = [await someUser(), await someUser()]
    const mine = await add(owner, 'Mine')
    const shared = await add(team().admin, 'Shared', 'Go', `/platform${BASE}`)
    for (const id of [mine.id, shared.id, randomUUID(), 'nonsense'])
      for (const [method, body] of [['PATCH', { name: 'x' }], ['DELETE']] as const)
        expect(await refusal(other, `${method} ${BASE}/${id}`, body)).toBe('NOT_FOUND')
    expect(await refusal(other, `GET ${BASE}/${mine.id}`)).toBe('NOT_FOUND')
    // An admin's own ones are not the platform's.
    expect(await refusal(team().admin, `PATCH /platform${BASE}/${mine.id}`, { name: 'x' })).toBe('NOT_FOUND')
    expect(await ok(owner, `GET ${BASE}/${mine.id}`)).toEqual(mine)
  })

  it('is refused with wrong fields, or with a name that is there', async () => {
    const owner = await someUser()
    await add(owner, 'Mine')
    const second = await add(owner, 'Second')
    expect(await refusal(owner, `POST ${BASE}`, { name: 'Mine', prompt: 'Go' })).toBe('NAME_TAKEN')
    expect(await refusal(owner, `PATCH ${BASE}/${second.id}`, { name: 'Mine' })).toBe('NAME_TAKEN')
    for (const prompt of ['', ' ', 'Fix {{a b}}', '{{a}}'.repeat(51), 'x'.repeat(65_537)])
      expect(await refusal(owner, `POST ${BASE}`, { name: 'Wrong', prompt })).toBe('VALIDATION')
    expect(await refusal(owner, `PATCH ${BASE}/${second.id}`, { prompt: '{{' })).toBe('VALIDATION')
    const changed = await ok<PromptTemplate>(owner, `PATCH ${BASE}/${second.id}`, { prompt: '/review {{branch}}' })
    expect(changed).toMatchObject({ name: 'Second', prompt: '/review {{branch}}' })
    // A name of the platform's is free for a user.
    await add(team().admin, 'Shared', 'Go', `/platform${BASE}`)
    await add(owner, 'Shared')
  })

  it(`is refused beyond ${TEMPLATES_MAX}, also of two requests at once, and goes with its user`, async () => {
    const owner = await someUser()
    const { promptTemplate, user } = team().database.prisma
    const at = new Date(team().clock.now())
    const data = Array.from({ length: TEMPLATES_MAX - 1 }, (_, count) => ({
      ...{ id: randomUUID(), userId: owner.id, name: `${count}`, prompt: 'Go', createdAt: at, updatedAt: at },
    }))
    await promptTemplate.createMany({ data })
    const answers = await Promise.all(
      ['x', 'y'].map((name) => as(team(), owner)(`POST ${BASE}`, { name, prompt: 'Go' })),
    )
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([201, 409])
    expect(await refusal(owner, `POST ${BASE}`, { name: 'z', prompt: 'Go' })).toBe('TOO_MANY_TEMPLATES')
    await user.delete({ where: { id: owner.id } })
    expect(await promptTemplate.count({ where: { userId: owner.id } })).toBe(0)
  })
})
