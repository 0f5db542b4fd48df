import { expect, it, vi } from 'vitest'
import { discardFiles, dropStash, undoDiscardOf } from '../git/git.ts'
import { http } from '../transport/client.ts'
import { discardChanges, undoDiscard } from './tasks.ts'

vi.mock('../transport/client.ts', () => ({ http: { request: vi.fn(), send: vi.fn() } }))

it.each([
  ['a discard in the changes of a task', () => discardChanges('t', {} as never)],
  ['its undoing', () => undoDiscard('t', {} as never)],
  ['a discard in a repository', () => discardFiles('atlas', {} as never)],
  ['the drop of a stash', () => dropStash('atlas', {} as never)],
  ['its undoing, too,', () => undoDiscardOf('atlas', {} as never)],
])('%s is done once, and its answer comes although the network lost it', async (_, act) => {
  await act()
  expect(http.request).toHaveBeenLastCalledWith('POST', expect.any(String), {}, 'named')
})
