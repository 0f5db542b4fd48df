import type { Participant } from '@slipway/protocol'
import { expect, test } from 'vitest'
import { asked } from '@/composables/useConfirm.ts'
import { useEndQuestions } from './useEndQuestions.ts'

const person = (name: string): Participant => ({
  id: name,
  name,
  isHolder: false,
  hasControl: false,
  mayControl: false,
  asks: false,
})
const questions = (...names: string[]) =>
  useEndQuestions({ others: () => names.map(person), program: () => 'Claude Code', keyboard: () => null })

test('a user who is alone in a terminal disconnects without a question', async () => {
  expect(await questions().mayDisconnect()).toBe(true)
  expect(asked.value).toBeNull()
})

test.each([
  [['kim@example.org'], 'kim@example.org is in it.'],
  [['kim@example.org', 'Guest 1', 'Guest 2'], '3 other people are in it.'],
])('a user who is in it with %j is asked first, and told for whom it ends', async (names, who) => {
  for (const answer of [false, true]) {
    const may = questions(...names).mayDisconnect()
    expect(asked.value).toMatchObject({ action: 'Disconnect', danger: true })
    expect(asked.value?.body).toBe(`${who} Disconnecting ends Claude Code and its current work.`)
    asked.value?.answer(answer)
    expect(await may).toBe(answer)
  }
})
