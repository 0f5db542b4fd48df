import { describe, expect, it } from 'vitest'
import { fieldProblem, fieldsIn, TEMPLATE_FIELDS_MAX, withFields } from './prompt-fields.ts'

describe('the fields of a prompt', () => {
  it('are named in their order, each once', () => {
    expect(fieldsIn('Fix {{ticket}} in {{ a.b.0 }}, then close {{ticket}}. {x} {{}} {{no name}}')).toEqual([
      'ticket',
      'a.b.0',
    ])
  })

  it('are filled with texts that are not read as fields', () => {
    const texts: Record<string, string> = { a: '{{b}} $&', b: '{{a}}' }
    const asked: string[] = []
    const filled = withFields('{{a}}{{b}}{{a}}', (name) => {
      asked.push(name)
      return texts[name] ?? ''
    })
    expect(filled).toBe('{{b}} $&{{a}}{{b}} $&')
    expect(asked).toEqual(['a', 'b'])
  })

  it('have a number and a form', () => {
    expect(fieldProblem('No field, {one} brace')).toBeNull()
    expect(fieldProblem('{{a}}'.repeat(TEMPLATE_FIELDS_MAX))).toBeNull()
    expect(fieldProblem('{{a}}'.repeat(TEMPLATE_FIELDS_MAX + 1))).toContain('more than 50')
    expect(fieldProblem('{{title()}}')).toContain('without the name')
  })
})
