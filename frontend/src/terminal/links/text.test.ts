import { expect, it } from 'vitest'
import { pathsOfText, TEXT_FILES_MAX } from './text.ts'

it('finds the paths of a text, from the home or below the folder, each once', () => {
  const text = 'I changed `src/a.ts:12` and src/a.ts, see\n~/notes.md and /home/developer/uploads/ab/picture.png.'
  expect(pathsOfText(text, '/home/developer/app')).toEqual([
    '/home/developer/app/src/a.ts',
    '~/notes.md',
    '/home/developer/uploads/ab/picture.png',
  ])
})

it('takes no address and no more than it shows', () => {
  expect(pathsOfText('https://example.org/a/b.ts', '/home/developer')).toEqual([])
  const many = Array.from({ length: 40 }, (_, at) => `src/${at}.ts`).join(' ')
  expect(pathsOfText(many, '/home/developer')).toHaveLength(TEXT_FILES_MAX)
})
