import type { AgentTemplate } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { templateText, variableLines, variablesIn, variablesProblem } from './agentTemplates.ts'

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

describe('a template', () => {
  const template: AgentTemplate = {
    ...{ name: 'api', description: '', settings: { runtime: 'codex' }, setupCommand: null, variables: [] },
    repository: { url: 'https://git.example.org/harbour/api.git' },
    updatedAt: '2026-01-01T00:00:00.000Z',
  }

  it('is described, or says what it has', () => {
    expect(templateText({ ...template, description: 'Ours' })).toBe('Ours')
    expect(templateText(template)).toBe('harbour/api · codex')
    expect(templateText({ ...template, repository: null })).toBe('codex')
  })
})
