import { describe, expect, it } from 'vitest'
import { EMPTY_RULE, ruleBody, ruleProblem } from './form.ts'
import { textOf } from './words.ts'

describe('the form of a rule', () => {
  it('splits a command into words, as a shell does', () => {
    expect(ruleBody({ ...EMPTY_RULE, text: ' git commit -m "a b" ' })).toEqual({
      decision: 'allow',
      covers: { kind: 'command', words: ['git', 'commit', '-m', 'a b'], exact: false },
    })
  })

  it('ends with its last day', () => {
    const { expiresAt = '' } = ruleBody({ ...EMPTY_RULE, kind: 'tool', text: 'Write', until: '2026-11-26' })
    expect(new Date(expiresAt).getTime()).toBe(new Date(2026, 10, 26, 23, 59, 59, 999).getTime())
  })

  it.each([
    ['command', '', /words/],
    ['command', "echo 'a", /quote/],
    ['path', 'src', /absolute/],
    ['path', '/', /absolute/],
    ['tool', ' ', /name/],
  ] as const)('says what is wrong with the %s "%s"', (kind, text, problem) => {
    expect(ruleProblem({ ...EMPTY_RULE, kind, text })).toMatch(problem)
  })
})

it('a rule in words shows quotes and hidden characters', () => {
  expect(textOf({ kind: 'command', words: ['echo', 'a b\u202e'], exact: true })).toBe("exactly echo 'a b\ufffd'")
  expect(textOf({ kind: 'command', words: ['git', 'push'], exact: false })).toBe('git push …')
  expect(textOf({ kind: 'path', path: '/a' })).toBe('changes of /a')
})
