import { longIt } from '@slipway/testing/forms'
import { expect, it } from 'vitest'
import { as, newAgent, useTeam } from '../../../../../test/support/people/team.ts'
import { UID_FIRST, UID_LAST } from './free.ts'

const team = useTeam()
const owner = (...request: Parameters<ReturnType<typeof as>>) => as(team(), team().owner)(...request)
const uidOf = async (name: string) =>
  (await team().database.prisma.agent.findUniqueOrThrow({ where: { name }, select: { uid: true } })).uid

it('gives each of many agents that are created at once a user id of its own', async () => {
  const names = Array.from({ length: 12 }, (_, index) => `at-once-${index}`)
  const answers = await Promise.all(names.map((name) => owner('POST /agents', newAgent(name))))
  expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([201]))
  expect(new Set(await Promise.all(names.map(uidOf))).size).toBe(names.length)
})

// `free.test.ts` gives each user id of the range, and then none.
longIt('refuses one agent more than there are user ids, until one is deleted', async () => {
  const { prisma } = team().database
  const taken = new Set((await prisma.agent.findMany({ select: { uid: true } })).map(({ uid }) => uid))
  const free = Array.from({ length: UID_LAST - UID_FIRST + 1 }, (_, index) => UID_FIRST + index)
  const rows = free.filter((uid) => !taken.has(uid))
  const settings = { runtime: 'claude-code', cpus: 1, memoryMb: 256 }
  await prisma.agent.createMany({ data: rows.map((uid) => ({ name: `row-${uid}`, uid, ...settings })) })

  const refused = await owner('POST /agents', newAgent('one-more'))
  expect(refused.json()).toMatchObject({ statusCode: 409, code: 'TOO_MANY_AGENTS' })
  const [gone = 0] = rows
  await prisma.agent.delete({ where: { uid: gone } })
  expect((await owner('POST /agents', newAgent('one-more'))).statusCode).toBe(201)
  expect(await uidOf('one-more')).toBe(gone)
})
