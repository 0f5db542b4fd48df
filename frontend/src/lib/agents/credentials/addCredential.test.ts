import { expect, test } from 'vitest'
import { kindAsked, kindFor } from './addCredential.ts'

test.each([
  ['anthropic', 'anthropic-api-key'],
  ['openai', 'openai-api-key'],
  ['gemini', 'gemini-api-key'],
  ['github', 'github-token'],
  // A git credential needs a host first.
  ['git', null],
] as const)('for %s one adds %s', (service, kind) => expect(kindFor(service)).toBe(kind))

test.each([undefined, null, '', 'constructor', ['github-token'], 'github'])('%j asks for no form', (asked) =>
  expect(kindAsked(asked)).toBeNull(),
)
test('a kind asks for its form', () => expect(kindAsked('ai-gateway')).toBe('ai-gateway'))
