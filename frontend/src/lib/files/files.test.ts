import { describe, expect, it } from 'vitest'
import { decodePath } from '@/lib/pathBytes.ts'
import { COLUMNS_MAX, ROWS_MAX, tableOf } from './csv.ts'
import { byFolder, chosenIn, DROP_FILES_MAX, droppedIn, TooManyFiles } from './dropped.ts'
import { bestOf, piecesOf } from './fuzzy.ts'
import { viewsOf } from './kinds.ts'
import { linesOf } from './lines.ts'
import { absoluteOf, foldersTo, isInside, parentOf, pathOfPlace, placeOf, shownName } from './paths.ts'
import { linesOfText, textOf } from './text.ts'
import { type Folder, foldersOf, foldersToCompare, type Row, rowsOf } from './tree.ts'

const HOME = '/home/developer'

describe('a path', () => {
  it.each([
    ['~', HOME],
    ['~/a/./b//c', `${HOME}/a/b/c`],
    ['a b', `${HOME}/a b`],
    [`${HOME}/x`, `${HOME}/x`],
    ['/etc/passwd', null],
    ['~/a/../../x', null],
    ['/home/developers', null],
  ])('%s is %s', (text, path) => expect(absoluteOf(text)).toBe(path))

  it.each(['a/b', 'caf\u00e9 &?#%2F', 'new\nline', decodePath('l%E9')])(
    'comes back from the address of the page: %j',
    (name) => {
      const path = `${HOME}/${name}`
      expect(pathOfPlace(placeOf(path))).toBe(path)
    },
  )

  it.each([undefined, '/etc/passwd', '~/../x', ['~/a'], '~'])('is not %j of an address', (place) => {
    expect(pathOfPlace(place)).toBeNull()
  })

  it('has folders on the way to it, and is inside of them alone', () => {
    expect(foldersTo(`${HOME}/a/b/c`)).toEqual([`${HOME}/a`, `${HOME}/a/b`])
    expect(foldersTo(HOME)).toEqual([])
    expect(parentOf(`${HOME}/a`)).toBe(HOME)
    expect([isInside('/a/b', '/a'), isInside('/ab', '/a'), isInside('/a', '/a')]).toEqual([true, false, true])
  })

  it('shows what a name hides', () => {
    expect(shownName('a\nb\u202ec\u007f')).toBe('a\u240ab\ufffdc\u2421')
  })
})

describe('the rows of a tree', () => {
  const folder = (more: Partial<Folder>): Folder => ({
    ...{ entries: [], isLoading: false, error: null, isCut: false, version: null },
    ...more,
  })
  const file = (name: string) => ({ name, kind: 'file' as const })

  it('are those of open folders, with their places', () => {
    const folders = new Map([
      [
        '/h',
        folder({
          entries: [{ name: 'a', kind: 'folder' }, file('b'), { name: '\ufffd', kind: 'file', encodedName: '%E9' }],
        }),
      ],
      ['/h/a', folder({ entries: [file('.c')] })],
    ])
    const rows = rowsOf('/h', { folders, open: new Set(['/h/a']), hides: false })
    expect(rows.map((row) => (row.type === 'entry' ? [row.path, row.depth, row.place, row.among] : row.note))).toEqual([
      ['/h/a', 0, 1, 3],
      ['/h/a/.c', 1, 1, 1],
      ['/h/b', 0, 2, 3],
      [`/h/${decodePath('%E9')}`, 0, 3, 3],
    ])
    const hidden = rowsOf('/h', { folders, open: new Set(['/h/a']), hides: true })
    expect(hidden[1]).toEqual({ type: 'note', path: '/h/a', depth: 1, note: 'empty', text: null })
    expect(rowsOf('/h', { folders, open: new Set(), hides: false })).toHaveLength(3)
  })

  it.each([
    [{ isLoading: true }, 'loading'],
    [{ error: 'No' }, 'failed'],
    [{ isCut: true, entries: [file('a')] }, 'cut'],
    [{}, 'empty'],
  ])('say of %j that it is %s', (more, note) => {
    const rows = rowsOf('/h', { folders: new Map([['/h', folder(more)]]), open: new Set(), hides: false })
    expect(rows.at(-1)).toMatchObject({ type: 'note', note })
  })
})

describe('the folders to compare with the disk', () => {
  it('are those of the rows in view, also of a folder whose names begin below', () => {
    const entry = (path: string, isOpen = false): Row => ({ type: 'entry', path, isOpen }) as Row
    const note = { type: 'note', path: '/h/c', depth: 1, note: 'empty', text: null } as const
    expect(foldersOf([entry('/h/a/x'), entry('/h/b'), note, entry('/h/d', true)])).toEqual([
      ...['/h/a', '/h', '/h/c', '/h/d'],
    ])
  })

  it('are those in view each time, and the others in turn', () => {
    const open = ['a', 'b', 'c', 'd', 'e', 'f']
    const looks: string[][] = []
    for (let from = 0; looks.length < 3;) {
      const { folders, next } = foldersToCompare(open, ['e', 'closed', 'b'], { most: 4, from })
      looks.push(folders)
      from = next
    }
    expect(looks).toEqual([
      ['e', 'b', 'a', 'c'],
      ['e', 'b', 'd', 'f'],
      ['e', 'b', 'a', 'c'],
    ])
    expect(foldersToCompare(open, [], { most: 9, from: 3 }).folders.toSorted()).toEqual(open)
    expect(foldersToCompare(open, open, { most: 2, from: 3 })).toEqual({ folders: ['a', 'b'], next: 3 })
  })
})

describe('letters of a path', () => {
  const PATHS = ['src/components/FileTree.vue', 'src/lib/files/tree.ts', 'docs/treaty.md', 'a/b/c.ts', 'İ/x']

  it.each([
    ['tree', 'src/lib/files/tree.ts'],
    ['FT', 'src/components/FileTree.vue'],
    ['lib tree', 'src/lib/files/tree.ts'],
    ['treaty', 'docs/treaty.md'],
    ['abc', 'a/b/c.ts'],
  ])('%s finds %s first', (wanted, path) => expect(bestOf(PATHS, wanted, 5)[0]?.path).toBe(path))

  it('find nothing where one is missing, and everything where there are none', () => {
    expect(bestOf(PATHS, 'zzz', 5)).toEqual([])
    expect(bestOf(PATHS, ' ', 2)).toHaveLength(2)
  })

  it('are marked', () => {
    expect(
      piecesOf('abcd', [
        [1, 2],
        [3, 4],
      ]),
    ).toEqual(['a', 'b', 'c', 'd', ''])
    expect(
      piecesOf('abcd', [
        [2, 4],
        [1, 3],
        [2, 2],
      ]),
    ).toEqual(['ab', 'cd', ''])
  })
})

describe('the bytes of a file', () => {
  const bytes = (...values: number[]) => Uint8Array.from(values)

  it('are text, with the ends of its lines', () => {
    expect(textOf(new TextEncoder().encode('\ufeffa\r\nb\r\n'), true)).toEqual({
      text: '\ufeffa\r\nb\r\n',
      isUtf8: true,
      lineEnd: '\r\n',
    })
    expect(textOf(new TextEncoder().encode('a\r\nb\n'), true)?.lineEnd).toBe('\n')
    expect(textOf(bytes(), true)).toEqual({ text: '', isUtf8: true, lineEnd: '\n' })
  })

  it('may end inside a character if they are a part, and are no UTF-8 otherwise', () => {
    expect(textOf(bytes(0x61, 0xe4, 0xb8), false)).toMatchObject({ text: 'a', isUtf8: true })
    expect(textOf(bytes(0x61, 0xe4, 0xb8), true)).toMatchObject({ isUtf8: false })
    expect(textOf(bytes(0x61, 0), true)).toBeNull()
  })

  it('have lines', () => {
    expect(linesOfText('a\r\nb\n\n')).toEqual(['a', 'b', ''])
    expect(linesOfText('')).toEqual([''])
  })
})

describe('a table', () => {
  it('has quoted cells with separators, quotes and lines in them', () => {
    expect(tableOf('\ufeffa,"b, ""c""\nd"\r\n1,\n', ',').rows).toEqual([
      ['a', 'b, "c"\nd'],
      ['1', ''],
    ])
    expect(tableOf('a\tb', '\t')).toEqual({ rows: [['a', 'b']], columns: 2, isCut: false })
    expect(tableOf('"open', ',').rows).toEqual([['open']])
  })

  it('is cut at its bounds', () => {
    const long = tableOf('x\n'.repeat(ROWS_MAX + 1), ',')
    expect([long.rows.length, long.isCut]).toEqual([ROWS_MAX, true])
    expect(tableOf('x\n'.repeat(ROWS_MAX), ',').isCut).toBe(false)
    expect(tableOf(','.repeat(COLUMNS_MAX + 5), ',')).toMatchObject({ columns: COLUMNS_MAX, isCut: true })
  })
})

describe('dropped files', () => {
  it('are uploaded by their folders, and not too many at once', () => {
    // Browsers set it, and the DOM of these tests does not.
    const at = (name: string, value: string) =>
      Object.defineProperty(new File([], name), 'webkitRelativePath', { value })
    const file = at('a', '')
    const chosen = chosenIn([file, at('b', 'photos/2024/b')])
    expect([...byFolder(chosen.files)].map(([folder, files]) => [folder, files.map(({ name }) => name)])).toEqual([
      ['', ['a']],
      ['photos/2024', ['b']],
    ])
    expect(() => chosenIn(Array.from({ length: DROP_FILES_MAX + 1 }, () => file))).toThrow(TooManyFiles)
  })

  it('come with the folders that have nothing in them', async () => {
    const file = (name: string) => ({
      ...{ isFile: true, isDirectory: false, name },
      file: (resolve: (file: File) => void) => resolve(new File([], name)),
    })
    const folder = (name: string, ...inside: readonly { name: string }[]) => ({
      ...{ isFile: false, isDirectory: true, name },
      createReader() {
        const parts = [inside, []]
        return { readEntries: (resolve: (entries: unknown) => void) => resolve(parts.shift()) }
      },
    })
    const transfer = (...entries: readonly { name: string }[]) =>
      ({ items: entries.map((entry) => ({ kind: 'file', webkitGetAsEntry: () => entry })) }) as unknown as DataTransfer
    const site = folder('site', file('index.html'), folder('logs'), folder('cache', folder('pages')))
    const { files, emptyFolders } = await droppedIn(transfer(file('a.txt'), site, folder('bare')))
    expect(files.map((one) => [one.folder, one.file.name])).toEqual([
      ['', 'a.txt'],
      ['site', 'index.html'],
    ])
    expect(emptyFolders).toEqual(['site/logs', 'site/cache/pages', 'bare'])
    const many = Array.from({ length: DROP_FILES_MAX + 1 }, (_, at) => folder(String(at)))
    await expect(droppedIn(transfer(...many))).rejects.toThrow(TooManyFiles)
  })
})

it.each([
  ['a.md', ['markdown', 'text']],
  ['a.csv', ['table', 'text']],
  ['a.svg', ['image', 'text']],
  ['a.png', ['image']],
  ['constructor', ['text']],
])('%s is shown as %j', (name, views) => expect(viewsOf(name)).toEqual(views))

it('lines of JSON arrive whole, however their bytes are cut', async () => {
  const bytes = new TextEncoder().encode('{"a":"ä"}\n\n{"a":"b"}\n{"cut')
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += 3) controller.enqueue(bytes.slice(at, at + 3))
      controller.close()
    },
  })
  const lines: unknown[] = []
  for await (const line of linesOf(body)) lines.push(line)
  expect(lines).toEqual([{ a: 'ä' }, { a: 'b' }])
})
