import { describe, expect, it } from 'vitest'
import { MASK, Masks, SECRET_LENGTH_MIN } from './masks.ts'

const SECRET = 'sk-ant-0123456789'

/** What the masks let through, and what they hold back at the end. */
const through = (masks: Masks, chunks: readonly (string | Uint8Array)[]): { told: string; rest: string } => {
  const told = chunks.map((chunk) => masks.push(Buffer.from(chunk)))
  return { told: Buffer.concat(told).toString(), rest: masks.flush().toString() }
}

describe('a secret', () => {
  it('is masked wherever the stream is cut', () => {
    for (let cut = 0; cut <= SECRET.length; cut += 1) {
      const masks = new Masks([SECRET])
      const text = through(masks, [`key: ${SECRET.slice(0, cut)}`, `${SECRET.slice(cut)} end`])
      expect(text).toEqual({ told: `key: ${MASK} end`, rest: '' })
    }
  })

  it('is masked when each of its bytes comes alone', () => {
    expect(through(new Masks([SECRET]), Array.from(`<${SECRET}>`))).toEqual({ told: `<${MASK}>`, rest: '' })
  })

  it('is masked each time that it comes', () => {
    expect(through(new Masks([SECRET]), [`${SECRET}${SECRET} ${SECRET}`]).told).toBe(`${MASK}${MASK} ${MASK}`)
  })

  it('that begins with another one is masked whole', () => {
    const masks = new Masks(['12345678', '12345678-and-more'])
    expect(through(masks, ['12345678', '-and-more 12345678!']).told).toBe(`${MASK} ${MASK}!`)
  })

  it('may hold what means something in a pattern, and any character', () => {
    const odd = 'a.*(b)[c]\\d+|ü€'
    const masks = new Masks([odd])
    const bytes = Buffer.from(`x${odd}y axx(b)`)
    expect(through(masks, [bytes.subarray(0, 15), bytes.subarray(15)]).told).toBe(`x${MASK}y axx(b)`)
  })

  it('that becomes known while the stream goes on is masked from there on, and those before still are', () => {
    const masks = new Masks([SECRET])
    const later = 'ghp_0123456789'
    expect(masks.push(Buffer.from(`${later} ${SECRET} sk-`)).toString()).toBe(`${later} ${MASK} `)
    masks.learn([later])
    expect(through(masks, [`ant-0123456789 ${later} ${SECRET}`])).toEqual({ told: `${MASK} ${MASK} ${MASK}`, rest: '' })
  })

  it('gives way to a later one where they are too many', () => {
    const many = Array.from({ length: 63 }, (_, n) => `secret-number-${n}.`)
    const masks = new Masks(['the-oldest-secret', ...many])
    expect(through(masks, ['the-oldest-secret']).told).toBe(MASK)
    masks.learn(['the-latest-secret'])
    const { told } = through(masks, [`the-latest-secret ${many[62]} ${many[0]} the-oldest-secret`])
    expect(told).toBe(`${MASK} ${many[62]} ${MASK} ${MASK}`)
  })

  it('that is too short to be told from other text is left alone', () => {
    const short = 'x'.repeat(SECRET_LENGTH_MIN - 1)
    expect(through(new Masks([short, '']), [short]).told).toBe(short)
  })
})

describe('what only begins like a secret', () => {
  it('is told when it goes on otherwise', () => {
    const masks = new Masks([SECRET])
    expect(masks.push(Buffer.from('say sk-ant')).toString()).toBe('say ')
    expect(masks.held).toBe('sk-ant'.length)
    expect(masks.push(Buffer.from('arctic')).toString()).toBe('sk-antarctic')
  })

  it('is told at the end', () => {
    expect(through(new Masks([SECRET]), ['sk-'])).toEqual({ told: '', rest: 'sk-' })
  })

  it('is held back only as far as it may be one', () => {
    const masks = new Masks(['aaaaaaab'])
    expect(masks.push(Buffer.from('a'.repeat(100))).length).toBe(93)
    expect(masks.push(Buffer.from('b')).toString()).toBe(MASK)
  })
})

describe('a character', () => {
  it('is not cut, wherever the stream is', () => {
    const bytes = Buffer.from('aé€😀z')
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const masks = new Masks([SECRET])
      const parts = [bytes.subarray(0, cut), bytes.subarray(cut)].map((part) => masks.push(part).toString())
      expect(parts.join('')).toBe('aé€😀z')
    }
  })

  it('that never ends is not waited for', () => {
    expect(new Masks([]).push(Buffer.from([0xf0, 0x9f, 0x41])).length).toBe(3)
  })
})
