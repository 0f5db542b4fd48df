import { describe, expect, it } from 'vitest'
import { OutputTail } from './output-tail.ts'

const tailOf = (chunks: readonly (string | number[])[], limit = 8): OutputTail => {
  const tail = new OutputTail(limit)
  for (const chunk of chunks) tail.append(Buffer.from(chunk as string))
  return tail
}

describe('what is kept of an output', () => {
  it('is all of it, up to the limit', () => {
    const tail = tailOf(['1234', '5678'])
    expect([tail.text, tail.isTruncated]).toEqual(['12345678', false])
  })

  it('is its end beyond the limit, however it came', () => {
    for (const chunks of [['123456789'], ['1', '2345678', '9'], Array.from('123456789')]) {
      const tail = tailOf(chunks)
      expect([tail.text, tail.isTruncated]).toEqual(['23456789', true])
    }
  })

  it('begins with a whole character', () => {
    const characters = '😀'.repeat(40)
    for (let before = 0; before < 8; before++)
      expect(tailOf(['x'.repeat(before), characters, 'x'.repeat(before)]).text).toMatch(/^😀*x*$/u)
  })

  it('puts a character together that came in two chunks', () => {
    const [a, b, c, d] = Buffer.from('😀')
    expect(tailOf([[a!, b!], [c!], [d!]]).text).toBe('😀')
  })

  it('shows bytes that are no text as what they are not', () => {
    expect(tailOf([[0x66, 0xff, 0x80, 0x67]]).text).toBe('f��g')
  })
})
