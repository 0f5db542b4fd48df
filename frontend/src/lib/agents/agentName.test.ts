import { expect, test } from 'vitest'
import { nameProblem, suggestName } from './agentName.ts'

test('the suggested name is free', () => {
  expect(suggestName(new Set())).toBe('skiff')
  expect(suggestName(new Set(['skiff', 'sloop']))).toBe('ketch')
})

test.each(['', 'Atlas', '-a', 'a-', 'a_b', 'a'.repeat(41)])(
  'a name that no container can have is refused: %s',
  (name) => {
    expect(nameProblem(name)).not.toBeNull()
  },
)

test.each(['a', 'atlas-2', 'a'.repeat(40)])('a name that a container can have is taken: %s', (name) => {
  expect(nameProblem(name)).toBeNull()
})
