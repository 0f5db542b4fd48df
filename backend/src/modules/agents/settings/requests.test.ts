import { MODEL_PATTERN } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { as, newAgent, useTeam } from '../../../../test/support/people/team.ts'

const team = useTeam({ config: { images: ['image-a:1', 'image-b:1'], maxCpus: 2, maxMemoryMb: 2048 } })
const owner = (...request: Parameters<ReturnType<typeof as>>) => as(team(), team().owner)(...request)

describe('role or owner set by the client:', () => {
  it.each([{ role: 'admin' }, { isSystem: true }, { ownerId: 'x' }])(
    'a body with %j is answered with 400',
    async (field) => {
      for (const answer of [
        await owner('POST /agents', { ...newAgent('odd'), ...field }),
        await owner('PATCH /agents/odd', field),
        await owner('PATCH /users/me', field),
      ])
        expect(answer.json()).toMatchObject({ statusCode: 400, code: 'VALIDATION' })
    },
  )
})

describe('a request for an agent', () => {
  it.each(['', 'A', 'a b', 'a_b', '-a', 'a-', 'a'.repeat(41), '../etc', 'ä', 'a\n', 'a\u0000', 'a/b', '.', '1\u202E'])(
    'is refused with the name %j',
    async (name) => {
      const response = await owner('POST /agents', newAgent(name))
      expect(response.json()).toMatchObject({ statusCode: 400, code: 'VALIDATION' })
    },
  )

  it('is refused with the name of an address of the API’s own', async () => {
    expect((await owner('POST /agents', newAgent('options'))).json()).toMatchObject({ code: 'NAME_TAKEN' })
  })

  it.each([
    { id: 'x' },
    { privileged: true },
    { binds: ['/:/host'] },
    { HostConfig: { Privileged: true } },
    { env: { A: 'b' } },
    { capAdd: ['ALL'] },
    JSON.parse('{"__proto__": {"isSystem": true}}') as object,
  ])('is refused with the unknown field of %j', async (field) => {
    const response = await owner('POST /agents', { ...newAgent('odd'), ...field })
    expect(response.json()).toMatchObject({ statusCode: 400, code: 'VALIDATION' })
    expect((await owner('PATCH /agents/odd', field)).statusCode).toBe(400)
  })

  it.each(['-p', '--dangerously-skip-permissions', ' opus', 'a;b', '$(id)', 'a b', '', 'x'.repeat(129), 'a\nb'])(
    'is refused with the model %j',
    async (model) => {
      expect(new RegExp(MODEL_PATTERN).test(model)).toBe(false)
      expect((await owner('POST /agents', newAgent('odd', { model }))).statusCode).toBe(400)
    },
  )

  it.each(['-x', '/bin/sh', 'a b', '$(id)', '../x', 'X'])('is refused with the runtime %j', async (runtime) => {
    expect((await owner('POST /agents', newAgent('odd', { runtime }))).statusCode).toBe(400)
  })

  it.each([
    [0, 201],
    [86_400, 201],
    [86_401, 400],
    [-1, 400],
    [1.5, 400],
    ['300' as never, 400],
  ])('has terminals that wait for %j seconds: %d', async (keepSeconds, status) => {
    const name = `patient-${keepSeconds === 0 ? 'not' : 'very'}`
    const response = await owner('POST /agents', newAgent(name, { keepSeconds }))
    expect(response.statusCode).toBe(status)
    if (status === 201) await owner(`DELETE /agents/${name}`)
  })

  it('has terminals that wait for five minutes and are not recorded, where it says nothing else', async () => {
    const response = await owner('POST /agents', newAgent('plain'))
    expect(response.json()).toMatchObject({ keepSeconds: 300, record: false, recordInput: false })
    await owner('DELETE /agents/plain')
  })

  it.each([
    [{ cpus: 0 }, 400],
    [{ cpus: -1 }, 400],
    [{ cpus: '1' as never }, 400],
    [{ cpus: 2.5 }, 422],
    [{ memoryMb: 0 }, 400],
    [{ memoryMb: 63 }, 400],
    [{ memoryMb: 100.5 }, 400],
    [{ memoryMb: 2049 }, 422],
    [{ memoryMb: 1e15 }, 400],
    [{ image: 'debian:latest' }, 422],
    [{ image: 'image-a:1@sha256:0' }, 422],
    [{ image: '' }, 400],
  ])('is refused with %j, which is not offered here: %d', async (change, status) => {
    const response = await owner('POST /agents', newAgent('odd', change))
    expect(response.statusCode).toBe(status)
    expect(response.json()).toMatchObject({ code: status === 422 ? 'NOT_OFFERED' : 'VALIDATION' })
    expect((await owner('GET /agents/odd')).statusCode).toBe(404)
  })

  it('can see what is offered', async () => {
    expect((await owner('GET /agents/options')).json()).toMatchObject({
      images: ['image-a:1', 'image-b:1'],
      cpus: { default: 2, max: 2 },
      memoryMb: { default: 2048, max: 2048 },
      suggestedName: expect.stringMatching(/^[a-z]+-[a-z]+$/),
    })
  })

  it('is refused alike in a change, of which nothing is kept', async () => {
    await owner('POST /agents?wait=true', newAgent('kept', { image: 'image-b:1' }))
    for (const change of [
      {},
      { name: 'other' },
      { memoryMb: 2049 },
      { image: 'x' },
      { model: '-x' },
      { cpus: 3, model: 'a' },
    ])
      expect([400, 422]).toContain((await owner('PATCH /agents/kept', change)).statusCode)
    const kept = (await owner('GET /agents/kept')).json<object>()
    expect(kept).toMatchObject({ name: 'kept', image: 'image-b:1', cpus: 1, memoryMb: 256, model: null })
    // It failed because the engine is away, which is a state and not an error.
    expect(kept).toMatchObject({ state: 'failed', reason: { code: 'engine_unavailable' } })
  })

  it.each(['%00', '..%2f..', 'A', 'x'.repeat(101), '%F0%9F%9A%80'])('finds nothing under the name %s', async (name) => {
    for (const route of ['GET /agents/', 'DELETE /agents/'] as const) {
      const { statusCode } = await owner(`${route}${name}`)
      expect([400, 404]).toContain(statusCode)
    }
    expect((await owner(`POST /agents/${name}/start`)).statusCode).toBeLessThan(500)
  })
})
