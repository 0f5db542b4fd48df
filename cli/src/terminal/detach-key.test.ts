import { expect, it } from 'vitest'
import { DetachKey } from './detach-key.ts'

const take = (key: DetachKey, text: string): [string, boolean] => {
  const { input, isPressed } = key.take(Buffer.from(text, 'latin1'))
  return [input.toString('latin1'), isPressed]
}

it.each([
  ['a control character', '\x1d'],
  ['a key of the keyboard protocol', '\x1b[93;5u'],
  ['a key of it with its event', '\x1b[93;5:1u'],
  ['a key of modifyOtherKeys', '\x1b[27;5;93~'],
])('finds Ctrl+] as %s, and what was typed before it', (_what, key) => {
  expect(take(new DetachKey(), key)).toEqual(['', true])
  expect(take(new DetachKey(), `ls\r${key}rest`)).toEqual(['ls\r', true])
})

it.each(['', 'text', '\x1b[93u', '\x1b[93;5:3u', '\x1b[A', '\x9d'])('takes %j for input', (text) => {
  expect(take(new DetachKey(), text)).toEqual([text, false])
})

it('leaves a pasted one alone, also where the marks of the paste come in pieces', () => {
  const key = new DetachKey()
  expect(take(key, 'x\x1b[200~a\x1db')).toEqual(['x\x1b[200~a\x1db', false])
  expect(take(key, 'c\x1d')).toEqual(['c\x1d', false])
  expect(take(key, '\x1b[20')).toEqual(['\x1b[20', false])
  expect(take(key, '1~')).toEqual(['1~', false])
  expect(take(key, 'd\x1d')).toEqual(['d', true])
})

it('counts no mark twice', () => {
  const key = new DetachKey()
  take(key, '\x1b[200~\x1b[201~')
  expect(take(key, '\x1d')).toEqual(['', true])
})
