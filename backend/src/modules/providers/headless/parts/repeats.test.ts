import { EVENT_TEXT_MAX } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { Repeats } from './repeats.ts'

/** What is told of these pieces. `|` breaks the answer off, `.` completes it. */
const told = (...pieces: string[]): string[] => {
  const repeats = new Repeats()
  return pieces.map((piece) => {
    if (piece === '|') repeats.broken()
    else if (piece === '.') repeats.complete()
    else return repeats.next(piece)
    return piece
  })
}

describe('an answer that broke off', () => {
  it('is told once, in whichever pieces it is repeated', () => {
    expect(told('one two ', '|', 'one two ', 'three')).toEqual(['one two ', '|', '', 'three'])
    expect(told('one ', 'two ', '|', 'one', ' two three')).toEqual(['one ', 'two ', '|', '', 'three'])
  })

  it('is told whole if it is another one', () => {
    expect(told('one two', '|', 'one ', 'four')).toEqual(['one two', '|', '', 'one four'])
  })

  it('may break off again before it has come as far', () => {
    expect(told('one two', '|', 'one', '|', 'one two', ' three')).toEqual(['one two', '|', '', '|', '', ' three'])
  })

  it('may say something twice itself', () => {
    expect(told('one', '|', 'one', 'one')).toEqual(['one', '|', '', 'one'])
    expect(told('one', '.', 'one')).toEqual(['one', '.', 'one'])
    expect(told('one', '.', '|', 'one')).toEqual(['one', '.', '|', 'one'])
  })

  it('is told again if it is too long to be remembered', () => {
    const long = 'x'.repeat(EVENT_TEXT_MAX + 1)
    expect(told(long, '|', long)).toEqual([long, '|', long])
  })
})
