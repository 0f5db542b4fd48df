import { randomUUID } from 'node:crypto'
import type { WholeSkill } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { MemoryEngine } from '../../../test/support/engine/memory-engine.ts'
import { as, useTeam } from '../../../test/support/people/team.ts'

const team = useTeam({ runtime: new MemoryEngine().runtime })
const textOf = (name: string, words: string): string => `---\nname: ${name}\ndescription: says how.\n---\n${words}\n`

/** A skill of the owner, whose name no other test uses. */
const setUp = async () => {
  const name = `s-${randomUUID().slice(0, 13)}`
  const path = `/users/me/skills/${name}` as const
  const call = as(team(), team().owner)
  const set = (words: string, more: object = {}) => call(`PUT ${path}`, { text: textOf(name, words), ...more })
  const words = async () => (await call(`GET ${path}`)).json<WholeSkill>().text.trim().split('\n').at(-1)
  expect((await set('first')).statusCode).toBe(200)
  return { set, words }
}

describe('a skill', () => {
  it('takes the place of another one of its name only if the request says so', async () => {
    const { set, words } = await setUp()
    for (const more of [{}, { replace: false }, { files: [{ path: 'a', text: 'b' }] }])
      expect((await set('second', more)).json()).toMatchObject({ statusCode: 409, code: 'NAME_TAKEN' })
    expect(await words()).toBe('first')
    expect((await set('second', { replace: true })).statusCode).toBe(200)
    expect(await words()).toBe('second')
  })

  it('may be stored again as it is, so that a request can be repeated', async () => {
    const { set } = await setUp()
    expect((await set('first')).statusCode).toBe(200)
    expect((await set('first', { enabled: false })).json()).toMatchObject({ code: 'NAME_TAKEN' })
  })

  it('is stored by one of two requests that come at once', async () => {
    const name = `s-${randomUUID().slice(0, 13)}`
    const call = as(team(), team().owner)
    const both = ['one', 'two'].map((words) => call(`PUT /users/me/skills/${name}`, { text: textOf(name, words) }))
    const codes = (await Promise.all(both)).map(({ statusCode }) => statusCode)
    expect(codes.toSorted((one, other) => one - other)).toEqual([200, 409])
  })
})
