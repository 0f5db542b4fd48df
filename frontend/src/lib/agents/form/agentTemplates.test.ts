import type { AgentTemplate } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import {
  secretLines,
  secretProblems,
  secretsIn,
  templateText,
  variableLines,
  variablesIn,
  variablesProblem,
} from './agentTemplates.ts'

describe('the variables of a template', () => {
  it('are lines, and the first = of a line ends the name', () => {
    const variables = [
      { name: 'PORT', value: '3000' },
      { name: 'FLAGS', value: '--a=b c ' },
    ]
    expect(variablesIn(`\nPORT=3000\n\n${variableLines(variables.slice(1))}\n`)).toEqual(variables)
  })

  it.each([
    ['PORT=3000', null],
    ['', null],
    ['PATH=/x', /^PATH: /],
    ['A=1\nA=2', /^A: /],
    ['A B=1', /^A B: /],
    ['=1', /^: /],
  ])('%j: %s', (lines, problem) => {
    const found = variablesProblem(lines)
    if (problem === null) expect(found).toBeNull()
    else expect(found).toMatch(problem)
  })
})

describe('the secret variables of a template', () => {
  const stored = { name: 'KEY', value: '', isStored: true }

  it('keep their values unless a user enters another one', () => {
    expect(secretLines({ secretVariables: [{ name: 'KEY', setAt: '2026-01-01T00:00:00.000Z' }] })).toEqual([stored])
    const added = { name: 'NEW', value: 'two\nlines', isStored: false }
    expect(secretsIn([stored, { ...stored, value: 'other' }, added])).toEqual([
      { name: 'KEY' },
      { name: 'KEY', value: 'other' },
      { name: 'NEW', value: 'two\nlines' },
    ])
  })

  it('need a name of their own and a value', () => {
    const added = { name: 'NEW', value: 'x', isStored: false }
    const problemsOf = (...lines: (typeof added)[]) => secretProblems(lines, ['PORT']).at(-1)
    expect(secretProblems([stored, added], ['PORT'])).toEqual([
      { name: null, value: null },
      { name: null, value: null },
    ])
    expect(problemsOf({ ...added, value: '' })).toEqual({ name: null, value: 'Enter a value.' })
    for (const name of ['', 'PORT', 'PATH', 'A B'])
      expect(problemsOf({ ...added, name })?.name, name).toEqual(expect.any(String))
    expect(problemsOf(stored, { ...added, name: 'KEY' })?.name).toMatch(/^KEY is already set/)
  })
})

describe('a template', () => {
  const template: AgentTemplate = {
    ...{ name: 'api', description: '', settings: { runtime: 'codex' }, setupCommand: null, variables: [] },
    secretVariables: [{ name: 'KEY', setAt: '2026-01-01T00:00:00.000Z' }],
    repository: { url: 'https://git.example.org/harbour/api.git' },
    updatedAt: '2026-01-01T00:00:00.000Z',
  }

  it('is described, or says what it has', () => {
    expect(templateText({ ...template, description: 'Ours' })).toBe('Ours')
    expect(templateText(template)).toBe('harbour/api · codex')
    expect(templateText({ ...template, repository: null })).toBe('codex')
  })
})
