import { expect, it } from 'vitest'
import { editedFiles, newFile, sizeOf, storedFiles } from './files.ts'

it('a new file has a path and an id that no other file has', () => {
  const first = newFile([])
  expect(first).toEqual({ id: 0, path: 'notes.md', text: '' })
  const second = newFile([first])
  expect(second).toEqual({ id: 1, path: 'notes-2.md', text: '' })
  const files = editedFiles(['a', 'NOTES.md', 'notes-2.md'].map((path) => ({ path, text: '' })))
  expect(newFile(files)).toMatchObject({ id: 3, path: 'notes-3.md' })
  expect(newFile([{ id: 7, path: 'a', text: '' }]).id).toBe(8)
})

it('files are sent without their ids, and without blanks around their paths', () => {
  expect(storedFiles([{ id: 4, path: ' run.sh ', text: ' x ' }])).toEqual([{ path: 'run.sh', text: ' x ' }])
})

it('their size is that of their texts in UTF-8', () => {
  expect(sizeOf({ path: 'a', text: 'ä' }, { path: 'b', text: '🙂b' })).toBe(7)
})
