import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maskOf } from './masking.ts'

const SECRET = 'sk-ant "api" \\03/+ü'

describe('a known secret in a line', () => {
  it.each([
    ['as it is', SECRET],
    ['escaped for JSON', JSON.stringify({ key: SECRET })],
    ['encoded for a URL', `https://example.org/?key=${encodeURIComponent(SECRET)}`],
    ['in base64', Buffer.from(SECRET).toString('base64')],
    ['in base64 for URLs', Buffer.from(SECRET).toString('base64url')],
  ])('is not left %s', (_how, line) => {
    const masked = maskOf([SECRET])(`before ${line} after`)
    expect(masked).toContain('***')
    expect(masked).not.toContain(line)
    expect(masked).toMatch(/^before .* after$/)
  })

  it('leaves valid JSON in place of valid JSON', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 8 }), fc.string(), fc.string(), (secret, before, after) => {
        const line = JSON.stringify({ type: 'text', text: `${before}${secret}${after}` })
        fc.pre(/\S/.test(secret))
        fc.pre(!JSON.stringify({ type: 'text', text: '' }).includes(secret))
        const { text } = JSON.parse(maskOf([secret])(line)) as { text: string }
        expect(text).not.toContain(secret)
      }),
    )
  })

  it('is masked in each of its lines, and in JSON within JSON', () => {
    const key = '-----BEGIN KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQEF\n-----END KEY-----\n'
    const mask = maskOf([key, 'with "quotes"'])
    expect(mask('12: MIIEvQIBADANBg')).toBe('12: ***')
    expect(mask(JSON.stringify(JSON.stringify('with "quotes"')))).toBe(String.raw`"\"***\""`)
    expect(mask(JSON.stringify({ text: key }))).toBe('{"text":"***"}')
  })

  it('is masked as a whole where it contains another one', () => {
    expect(maskOf(['password', 'password-and-more'])('x password-and-more y')).toBe('x *** y')
  })

  it('is left alone where it is too short to be one', () => {
    expect(maskOf(['test'])('a test')).toBe('a test')
  })
})
