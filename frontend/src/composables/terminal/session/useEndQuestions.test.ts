import type { Participant } from '@slipway/protocol'
import { expect, test } from 'vitest'
import { asked } from '@/composables/useConfirm.ts'
import { useEndQuestions, type Beside } from './useEndQuestions.ts'

const person = (name: string): Participant => ({
  id: name,
  name,
  isHolder: false,
  hasControl: false,
  mayControl: false,
  asks: false,
})
const questions = (...names: string[]) => questionsWith(null, ...names)
const questionsWith = (beside: Beside | null, ...names: string[]) =>
  useEndQuestions({
    others: () => names.map(person),
    program: () => 'Claude Code',
    keyboard: () => null,
    beside: () => beside,
  })

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

test('a user who may have another terminal can keep the program, and open the next one beside it', async () => {
  let opened = 0
  const may = questionsWith({ note: 'One is allowed.', mayRaise: true }).maySwitch('Bash', () => (opened += 1))
  expect(asked.value).toMatchObject({
    ...{ title: 'Switch to Bash?', body: 'This ends Claude Code and its current work. One is allowed.' },
    ...{ action: 'Switch', danger: true, other: { label: 'Open it beside this one' } },
  })
  const { other, answer } = asked.value!
  answer(false)
  other?.chosen()
  expect([await may, opened]).toEqual([false, 1])
})

test('any other user is told who may allow it', () => {
  void questionsWith({ note: 'ann@example.org can allow more.', mayRaise: false }).maySwitch('Bash')
  expect(asked.value?.body).toBe('This ends Claude Code and its current work. ann@example.org can allow more.')
  expect(asked.value?.other).toBeUndefined()
  asked.value?.answer(false)
})

test('without another terminal in sight, nothing is said about one', () => {
  void questions().maySwitch('Bash')
  expect(asked.value).toMatchObject({ body: 'This ends Claude Code and its current work.', action: 'Switch' })
  asked.value?.answer(false)
})
