import { expect, test } from 'vitest'
import { agentNameOf, nameProblem } from './agentName.ts'

test.each(['', ' ', '--', '東京', '!', 'a'.repeat(41), 'A '.repeat(21)])(
  'a text of which no name can be made is refused: %s',
  (name) => {
    expect(nameProblem(name)).not.toBeNull()
  },
)

test.each([
  ['a', 'a'],
  ['atlas-2', 'atlas-2'],
  ['a'.repeat(40), 'a'.repeat(40)],
  ['tour claude', 'tour-claude'],
  [' Tour  Claude! ', 'tour-claude'],
  ['Atlas', 'atlas'],
  ['a_b.c/d', 'a-b-c-d'],
  ['-a-', 'a'],
  ['a--b', 'a--b'],
  ['A--B', 'a-b'],
  ['Café Zürich', 'cafe-zurich'],
  ['ﬁx №5', 'fix-no5'],
  ['fix 東京 now', 'fix-now'],
])('a text is made the name that a container can have: %s', (text, name) => {
  expect(nameProblem(text)).toBeNull()
  expect(agentNameOf(text)).toBe(name)
  // A valid name stays as it is.
  expect(agentNameOf(name)).toBe(name)
})
