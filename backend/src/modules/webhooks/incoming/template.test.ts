import { TEMPLATE_FIELDS_MAX, TEMPLATE_VALUE_MAX } from '@slipway/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkTemplate, filled } from './template.ts'

const refusal = (template: string): string => {
  try {
    checkTemplate(template)
    return ''
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

describe('a template', () => {
  it('has fields of the payload, in any depth, of any kind', () => {
    const payload = { issue: { title: 'It fails', number: 7, labels: ['a', { name: 'b' }] }, open: true, none: null }
    const template =
      'Look at {{issue.title}} ({{ issue.number }}, {{issue.labels.1.name}}): {{issue.labels}} {{open}} [{{none}}{{missing.field}}]'
    expect(filled(template, payload)).toBe('Look at It fails (7, b): ["a",{"name":"b"}] true []')
  })

  it.each([
    ['a leading dash', '--dangerously-skip-permissions', /begin with a letter/],
    ['a leading command', '/login', /begin with a letter/],
    ['a leading file', '@/etc/passwd', /begin with a letter/],
    ['a leading shell command', '!id', /begin with a letter/],
    ['a leading field', '  {{title}}', /begin with a letter/],
    ['a brace that does not close', 'Look at {{title', /without the name/],
    ['a call', 'Look at {{title()}}', /without the name/],
    ['too many fields', 'Look '.concat('{{a}}'.repeat(TEMPLATE_FIELDS_MAX + 1)), /not name more/],
  ])('with %s is refused', (_what, template, message) => {
    expect(refusal(template)).toMatch(message)
  })

  it('makes no prompt that is longer than that of any task', () => {
    const template = `Look ${'{{a}}'.repeat(TEMPLATE_FIELDS_MAX)}${'x'.repeat(60_000)}`
    expect(filled(template, { a: 'y' })).toHaveLength(60_055)
    expect(() => filled(template, { a: 'y'.repeat(TEMPLATE_VALUE_MAX) })).toThrow(/more than 1048576 characters/)
  })

  it('may begin with a letter of any script', () => {
    for (const template of ['Look at {{title}}', 'über {{title}}', '見て {{title}}', '3 things', '\n Look'])
      expect(refusal(template)).toBe('')
  })

  it.each([
    ['inherited members', '{{constructor.name}}{{__proto__.polluted}}{{toString}}{{a.length}}{{a.0}}', ''],
    ['a second template', '{{b}}', '{{secret}}'],
    ['patterns of a replacement', '{{c}}', '$& $1 $` $$'],
    ['control characters', '{{d}}', '[31mred\n\tand text'],
    ['half a character', '{{e}}', '\uFFFD'],
  ])('takes no %s from the payload', (_what, template, text) => {
    const payload = {
      a: 'text',
      b: '{{secret}}',
      c: '$& $1 $` $$',
      d: '\u001b[31mred\r\n\tand\u0000 text\u009b',
      e: '\ud83d',
      secret: 'no',
    }
    expect(filled(`Say ${template}`, payload)).toBe(`Say ${text}`)
  })

  it('cuts a long value', () => {
    expect(filled('Say {{a}}', { a: 'x'.repeat(TEMPLATE_VALUE_MAX + 1) })).toBe(
      `Say ${'x'.repeat(TEMPLATE_VALUE_MAX)}…`,
    )
  })

  it('never throws, and begins with its own words, whatever the payload is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (payload, text) => {
        const prompt = filled('Look at {{a.b}} and {{c}}', { ...(payload as object), c: text })
        expect(prompt.startsWith('Look at ')).toBe(true)
        expect(prompt.isWellFormed()).toBe(true)
        expect(prompt).not.toContain('\0')
      }),
    )
  })
})
