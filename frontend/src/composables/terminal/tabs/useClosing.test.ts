import { expect, test } from 'vitest'
import { asked } from '@/composables/useConfirm.ts'
import { useClosing } from './useClosing.ts'

const setUp = (runs: boolean) => {
  const done: string[] = []
  const close = useClosing({
    program: () => 'Bash',
    runs: () => runs,
    end: (name) => void done.push(`end ${name}`),
    close: (name) => void done.push(`close ${name}`),
  })
  return { close, done }
}

test('a tab without a program closes without a question', async () => {
  const { close, done } = setUp(false)
  await close('bash')
  expect([asked.value, done]).toEqual([null, ['close bash']])
})

test.each([
  [true, ['end bash', 'close bash']],
  [false, []],
])('a tab whose program runs is closed only if its user agrees (%j)', async (answer, expected) => {
  const { close, done } = setUp(true)
  const closed = close('bash')
  expect(asked.value).toMatchObject({ title: 'Close Bash?', action: 'Close', danger: true })
  asked.value?.answer(answer)
  await closed
  expect(done).toEqual(expected)
})
