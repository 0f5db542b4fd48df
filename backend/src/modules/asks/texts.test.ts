import { expect, it } from 'vitest'
import { cleaned } from './texts.ts'

it('texts lose control characters and secrets, wherever they are in a value', () => {
  const value = {
    title: '\u001b[31mred\u0000\r\nnext\ttab\ud800',
    list: [{ label: 'a-long-secret', count: 1, yes: true }],
  }
  expect(cleaned(value, ['a-long-secret'])).toEqual({
    title: '\uFFFD[31mred\uFFFD\nnext\ttab\uFFFD',
    list: [{ label: '***', count: 1, yes: true }],
  })
})

it('a text is the same text if nothing is wrong with it', () => {
  const value = ['<b>äöü 😀</b>', '', '{"a": "\\u001b"}']
  expect(cleaned(value, [])).toEqual(value)
})
