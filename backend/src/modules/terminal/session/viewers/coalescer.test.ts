import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { COALESCE_MS, Coalescer } from './coalescer.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const open = () => {
  const sent: string[] = []
  const coalescer = new Coalescer((bytes) => void sent.push(Buffer.from(bytes).toString()))
  return { sent, coalescer, push: (text: string) => coalescer.push(Buffer.from(text)) }
}

describe('output on its way to a viewer', () => {
  it('is sent at once when it comes alone', () => {
    const { sent, push } = open()
    push('a')
    vi.advanceTimersByTime(COALESCE_MS)
    push('b')
    expect(sent).toEqual(['a', 'b'])
  })

  it('is gathered for a few milliseconds when more of it comes, in its order', () => {
    const { sent, push } = open()
    for (const letter of 'abcd') push(letter)
    expect(sent).toEqual(['a'])
    vi.advanceTimersByTime(COALESCE_MS)
    expect(sent).toEqual(['a', 'bcd'])
  })

  it('is not delayed when it answers a keystroke', () => {
    const { sent, coalescer, push } = open()
    push('a')
    push('b')
    coalescer.await()
    push('echo')
    push('more')
    expect(sent).toEqual(['a', 'becho'])
  })

  it('is not delayed when there is much of it', () => {
    const { sent, push } = open()
    push('a')
    push('b')
    push('x'.repeat(5000))
    expect(sent.map((piece) => piece.length)).toEqual([1, 5001])
    for (let piece = 0; piece < 5; piece++) push('y'.repeat(4000))
    expect(sent.map((piece) => piece.length)).toEqual([1, 5001, 20_000])
  })

  it('can be sent before its time, once', () => {
    const { sent, coalescer, push } = open()
    push('a')
    push('b')
    coalescer.flush()
    coalescer.flush()
    vi.advanceTimersByTime(COALESCE_MS)
    expect(sent).toEqual(['a', 'b'])
  })
})
