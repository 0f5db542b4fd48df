import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Masking } from './masking.ts'

const maskOf = (secrets: readonly string[]) => {
  const masking = new Masking(secrets)
  return (line: string): string => masking.mask(line)
}
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

  it('is masked whole where another one overlaps it', () => {
    expect(maskOf(['abcdefgh', 'efghijklmnop'])('x abcdefghijklmnop y')).toBe('x *** y')
  })

  it('is masked from the moment in which it is set', () => {
    const masking = new Masking(['the-first-secret'])
    expect(masking.mask('the-later-secret')).toBe('the-later-secret')
    masking.learn(['the-later-secret'])
    expect(masking.mask('the-later-secret the-first-secret')).toBe('*** ***')
  })

  it('is masked where JSON escapes characters that need it not', () => {
    const mask = maskOf(['path/to/secret'])
    expect(mask(String.raw`{"text":"a path\/to\/secret"}`)).toBe('{"text":"a ***"}')
    expect(mask(String.raw`{"text":"a p\u0061th/to/secret"}`)).toBe('{"text":"a ***"}')
    expect(mask(String.raw`{"text":"p\u0061th"}`)).toBe(String.raw`{"text":"p\u0061th"}`)
  })
})

/** A secret as users set it: printable, at least eight characters. */
const secret = fc
  .string({ unit: 'grapheme-ascii', minLength: 8, maxLength: 60 })
  .filter((text) => text.trim().length >= 8)
const around = fc.string({ unit: 'binary', maxLength: 30 })
const SPELLINGS: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  json: (text) => JSON.stringify(text).slice(1, -1),
  'json in json': (text) => JSON.stringify(JSON.stringify(text)).slice(3, -3),
  url: encodeURIComponent,
  form: (text) => new URLSearchParams({ '': text }).toString().slice(1),
}

describe('any secret', () => {
  it.each(Object.keys(SPELLINGS))('is not left in any text: %s', (how) => {
    fc.assert(
      fc.property(secret, around, around, (one, before, after) => {
        const spelled = SPELLINGS[how]!(one)
        fc.pre(spelled.length >= 8 && !'***'.includes(spelled))
        expect(maskOf([one])(before + spelled + after)).not.toContain(spelled)
      }),
    )
  })

  it.each(['base64', 'base64url'] as const)('is not left in %s, wherever it stands in the encoded text', (alphabet) => {
    fc.assert(
      fc.property(secret, fc.uint8Array({ maxLength: 5 }), fc.uint8Array({ maxLength: 5 }), (one, before, after) => {
        const bytes = Buffer.concat([before, Buffer.from(one), after])
        const masked = maskOf([one])(bytes.toString(alphabet))
        // Its characters that hold only bits of the secret are gone.
        const first = Math.ceil((before.length * 8) / 6)
        const behind = Math.floor(((before.length + Buffer.byteLength(one)) * 8) / 6)
        expect(masked).toContain('***')
        expect(masked).not.toContain(bytes.toString(alphabet).slice(first, behind))
      }),
    )
  })

  it('changes nothing in a text without it', () => {
    fc.assert(
      fc.property(fc.array(secret, { maxLength: 5 }), fc.string({ unit: 'binary' }), (secrets, text) => {
        // Random texts contain no spelling of eight random characters.
        expect(maskOf(secrets.map((one) => `${one}-and-what-no-text-has`))(text)).toBe(text)
      }),
    )
  })
})
