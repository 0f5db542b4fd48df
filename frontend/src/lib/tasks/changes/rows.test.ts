import type { ChangedFile } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { linesOf } from './patch.ts'
import { splitRows, unifiedRows } from './rows.ts'
import { inTreeOrder, treeOf } from './tree.ts'

describe('the rows of a patch', () => {
  const lines = linesOf(
    '@@ -1,4 +1,4 @@\n same\n-old\n-older\n+new\n same\n+more\n@@ -9 +9 @@\n-x\n\\ No newline\n+y\n\\ No newline\n',
  )

  it('side by side, removed lines face the added lines that follow them', () => {
    expect(splitRows(lines).map((row) => (row.kind === 'lines' ? row.cells : row.kind))).toEqual([
      'hunk',
      [1, 1],
      [2, 4],
      [3, null],
      [5, 5],
      [null, 6],
      'hunk',
      [8, 10],
    ])
  })

  it('know their hunk', () => {
    const hunks = unifiedRows(lines).flatMap((row) => (row.kind === 'hunk' ? row.hunk : []))
    expect(hunks).toEqual([0, 1])
  })
})

describe('the tree of changed files', () => {
  const file = (path: string, insertions: number | null = 1): ChangedFile => ({
    ...{ path, oldPath: null, status: 'modified', insertions, deletions: 2, binary: false, size: 1 },
    ...{ tooLarge: false, patch: null },
  })
  const files = ['a.ts', 'src/deep/er/one.ts', 'src/deep/er/two.ts', 'src/deep/x.ts', 'z/y.ts'].map((path) =>
    file(path),
  )
  const shown = (closed: readonly string[] = []) =>
    treeOf(files, new Set(closed)).map(({ name, depth, insertions }) => `${depth} ${name} +${insertions}`)

  it('joins the names of folders that contain only one folder, and sums their lines', () => {
    expect(shown()).toEqual([
      '0 src/deep +3',
      '1 er +2',
      '2 one.ts +1',
      '2 two.ts +1',
      '1 x.ts +1',
      '0 z +1',
      '1 y.ts +1',
      '0 a.ts +1',
    ])
  })

  it('leaves out what is in a closed folder', () => {
    expect(shown(['src/deep', 'z'])).toEqual(['0 src/deep +3', '0 z +1', '0 a.ts +1'])
  })

  it('gives the files in its order, also if two are shown with the same path', () => {
    expect(
      inTreeOrder(files)
        .map(({ path }) => path)
        .at(-1),
    ).toBe('a.ts')
    expect(inTreeOrder([file('***'), file('***')])).toHaveLength(2)
  })
})
