import { DIFF_FILE_PATCH_BYTES } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { Masking } from '../../runs/output/masking.ts'
import { RuntimeError } from '../../../runtime/errors.ts'
import { changesIn, PART_BYTES } from './parse.ts'

const NONE = '0'.repeat(40)
const ONE = '1'.repeat(40)
const TWO = '2'.repeat(40)
const TREE = '3'.repeat(40)

/** What the script prints for these parts. */
const printed = (sums: string, list: string, sizes = '', patch = ''): Buffer => {
  const parts = [sums, list, sizes, patch, `${TREE}\n`].map((part) => Buffer.from(part, 'latin1'))
  return Buffer.concat([Buffer.from(parts.map(({ length }) => `${length}\n`).join('')), ...parts])
}
const read = (...parts: Parameters<typeof printed>) => changesIn(printed(...parts), new Masking())
const raw = (letter: string, ...paths: readonly string[]): string =>
  `:100644 100644 ${ONE} ${TWO} ${letter}\0${paths.join('\0')}\0`
const section = (name: string, content: string): string => `diff --git a/${name} b/${name}\n+${content}\n`

describe('the output of the script', () => {
  it('says that nothing changed where it is empty', () => {
    expect(read('', '')).toEqual({
      changesDetected: false,
      filesChanged: 0,
      insertions: 0,
      deletions: 0,
      files: [],
      truncated: false,
      tree: TREE,
    })
  })

  it('gives each file its part of the patch, also if a file has two', () => {
    const list = `${raw('M', 'a')}${raw('T', 'b')}${raw('R087', 'c', 'd')}1\t0\ta\x001\t1\tb\x000\t2\t\0c\0d\0`
    const patch = `${section('a', '1')}${section('b', '2')}${section('b', '3')}${section('d', '4')}`
    const { files, ...rest } = read(' 3 files changed, 2 insertions(+), 3 deletions(-)\n', list, `${TWO} 7\n`, patch)
    expect(rest).toEqual({
      changesDetected: true,
      filesChanged: 3,
      insertions: 2,
      deletions: 3,
      truncated: false,
      tree: TREE,
    })
    expect(files.map(({ patch: part }) => part)).toEqual([
      section('a', '1'),
      section('b', '2') + section('b', '3'),
      section('d', '4'),
    ])
    expect(files[2]).toMatchObject({ path: 'd', oldPath: 'c', status: 'renamed', insertions: 0, deletions: 2, size: 7 })
  })

  it('takes no line of a content for the beginning of a file', () => {
    const patch = `diff --git a/a b/a\n-diff --git a/x b/x\n+diff --git a/y b/y\n diff --git a/z b/z\n${section('b', '1')}`
    const { files } = read(' 2 files changed\n', `${raw('M', 'a')}${raw('M', 'b')}`, '', patch)
    expect(files[1]?.patch).toBe(section('b', '1'))
  })

  it('leaves out the patch of a large file, and what was cut', () => {
    const large = section('a', 'x'.repeat(DIFF_FILE_PATCH_BYTES))
    const rest = section('b', '1')
    const cut = section('c', 'x'.repeat(PART_BYTES)).slice(0, PART_BYTES - large.length - rest.length)
    const list = `${raw('M', 'a')}${raw('M', 'b')}${raw('M', 'c')}`
    const { files, truncated } = read(' 3 files changed, 3 insertions(+)\n', list, '', large + rest + cut)
    expect(files.map(({ tooLarge, patch }) => [tooLarge, patch])).toEqual([
      [true, null],
      [false, rest],
      [true, null],
    ])
    expect(truncated).toBe(true)
  })

  it('names a binary file, and says of a huge one only that it is too large', () => {
    const list = `:000000 100644 ${NONE} ${TWO} A\0a\0:100644 000000 ${ONE} ${NONE} D\0b\0-\t-\ta\0-\t-\tb\0`
    const { files } = read(' 2 files changed\n', list, `${TWO} 9\n${ONE} 5000000\n${NONE} missing\n`)
    expect(files).toMatchObject([
      { binary: true, tooLarge: false, insertions: null, size: 9, patch: null },
      { binary: false, tooLarge: true, insertions: null, size: null, patch: null },
    ])
  })

  it('reads a list that was cut as far as it goes', () => {
    const { files, filesChanged, truncated } = read(
      ' 9 files changed\n',
      `${raw('A', 'a')}${raw('R100', 'b', 'c').slice(0, -2)}`,
    )
    expect(files.map(({ path }) => path)).toEqual(['a'])
    expect([filesChanged, truncated]).toEqual([9, true])
  })

  it('has no number that the database does not store', () => {
    const { insertions } = read(' 1 file changed, 999999999999 insertions(+)\n', '')
    expect(insertions).toBe(2_147_483_647)
  })

  it.each([
    ['nothing', ''],
    ['text', 'no lengths\n'],
    ['lengths that are not those of the parts', '1\n0\n0\n0\n0\n'],
    ['a length that is no number', '-1\n0\n0\n1\n0\n'],
    ['other sums', printed('all files changed\n', '').toString()],
    ['another list', printed('', ':x\0').toString()],
    ['another patch', printed('', '', '', 'x').toString()],
    ['another tree', printed('', '').toString().replace(TREE, TREE.replace('3', 'x'))],
  ])('is not believed where it is %s', (_what, said) => {
    expect(() => changesIn(Buffer.from(said), new Masking())).toThrow(RuntimeError)
  })
})
