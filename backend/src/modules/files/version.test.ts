import { describe, expect, it } from 'vitest'
import { etagOf, expectedBy } from './version.ts'

describe('the condition of an upload', () => {
  it.each([
    [{}, null],
    [{ 'if-match': etagOf('12-3') }, '12-3'],
    [{ 'if-none-match': '*' }, 'none'],
  ])('of %j is %j', (headers, expected) => expect(expectedBy(headers)).toBe(expected))

  it.each([
    { 'if-match': '*' },
    { 'if-match': '12-3' },
    { 'if-match': '"none"' },
    { 'if-match': '""' },
    { 'if-match': 'W/"12-3"' },
    { 'if-match': '"1", "2"' },
    { 'if-match': `"${'1'.repeat(1000)}"` },
    { 'if-none-match': '"1"' },
    { 'if-match': '"1"', 'if-none-match': '*' },
  ])('of %j is refused, because ignoring it could lose a file', (headers) => {
    expect(() => expectedBy(headers)).toThrow(expect.objectContaining({ code: 'VALIDATION' }) as Error)
  })
})
