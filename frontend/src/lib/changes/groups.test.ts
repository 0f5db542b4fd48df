import type { GitFile } from '@slipway/protocol'
import { expect, it } from 'vitest'
import { groupsOf, idsOf, isOwnFile } from './groups.ts'

const file = (path: string, more: Partial<GitFile> = {}): GitFile => ({
  ...{ id: `id-${path}`, path, oldId: null, oldPath: null, staged: null, unstaged: 'modified', kind: 'changed' },
  ...more,
})

it('lists a file with staged and other changes twice, and each kind by itself', () => {
  const groups = groupsOf([
    file('both', { staged: 'added' }),
    file('new', { kind: 'untracked', unstaged: 'added' }),
    file('fight', { kind: 'conflict' }),
    file('sub', { kind: 'repository' }),
    file('inner/', { kind: 'repository', unstaged: 'added' }),
    file('log', { kind: 'ignored', unstaged: 'added' }),
  ])
  expect(groups.map(({ id, files }) => [id, ...files.map((one) => one.file.path)])).toEqual([
    ['conflicts', 'fight'],
    ['staged', 'both'],
    ['unstaged', 'both', 'sub'],
    ['untracked', 'new', 'inner/'],
    ['ignored', 'log'],
  ])
  expect(groups.flatMap(({ files }) => files.filter(isOwnFile)).map((one) => one.file.path)).toEqual([
    'fight',
    'both',
    'both',
    'new',
  ])
})

it('names both paths of a file that was renamed, once each', () => {
  const [staged] = groupsOf([file('b', { staged: 'renamed', unstaged: null, oldId: 'id-a', oldPath: 'a' })])
  expect(idsOf([...staged!.files, ...staged!.files])).toEqual(['id-a', 'id-b'])
})
