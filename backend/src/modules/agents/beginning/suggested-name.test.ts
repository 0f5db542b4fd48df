import { AGENT_NAME_PATTERN } from '@slipway/protocol'
import { expect, test } from 'vitest'
import { suggestedName } from './suggested-name.ts'

const NAME = new RegExp(AGENT_NAME_PATTERN)

test('the suggested name is valid and free', async () => {
  let free = ''
  const name = await suggestedName((names) => {
    free = names.at(-1)!
    return Promise.resolve(names.filter((one) => one !== free))
  })
  expect(name).toBe(free)
  expect(name).toMatch(NAME)
})

test('a number is added when the names that were tried are taken', async () => {
  const name = await suggestedName((names) => Promise.resolve([...names]))
  expect(name).toMatch(/^[a-z]+-[a-z]+-\d+$/)
  expect(name).toMatch(NAME)
})

test('two users are seldom offered the same name', async () => {
  const names = await Promise.all(Array.from({ length: 20 }, () => suggestedName(() => Promise.resolve([]))))
  expect(new Set(names).size).toBeGreaterThan(10)
})
