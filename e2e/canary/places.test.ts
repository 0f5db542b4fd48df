import { describe, expect, it } from 'vitest'
import { found } from './places.ts'

describe('the search', () => {
  it.each([
    ['as it is', (secret: string) => secret],
    ['in an address', (secret: string) => `https://x/?token=${encodeURIComponent(secret)}`],
    ['in base64, wherever it begins', (secret: string) => Buffer.from(`ab${secret}cd`).toString('base64')],
    ['in hexadecimal', (secret: string) => `\\x00${Buffer.from(secret).toString('hex')}ff`],
    ['in the middle of others', (secret: string) => `{"a":"x${secret}y"}`],
  ])('finds a secret that was planted %s', (_how, write) => {
    const planted = 'canary-planted-0123456789abcdef01234567'
    expect(found(`before ${write(planted)} after`, { planted })).toEqual(['planted'])
  })
})
