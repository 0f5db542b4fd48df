import { expect, it } from 'vitest'
import { plain, plainLine } from './plain.ts'
import { table } from './table.ts'

it('shows what a terminal would obey, and what would hide', () => {
  expect(plain('a\u001b[2Jb\u0007\u009b\u202e\u200b\u00ad\u007f\rc')).toBe(
    'a\ufffd[2Jb\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffdc',
  )
})

it('leaves texts as they are', () => {
  expect(plain('one\r\ntwo\tä 👩‍💻')).toBe('one\ntwo\tä 👩‍💻')
  expect(plainLine('one\n\n two')).toBe('one  two')
})

it('puts rows into columns, each in one line', () => {
  const rows = [
    ['atlas', 'running\nforged'],
    ['b', 'x'.repeat(70)],
  ]
  expect(table(['NAME', 'STATE'], rows).split('\n')).toEqual([
    'NAME   STATE',
    'atlas  running forged',
    `b      ${'x'.repeat(59)}…`,
  ])
})
