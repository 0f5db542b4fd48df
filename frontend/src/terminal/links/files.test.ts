import type { FoundFile } from '@slipway/protocol'
import { Terminal } from '@xterm/headless'
import type { ILink, Terminal as BrowserTerminal } from '@xterm/xterm'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FileLinks, HOLD_MS, pathOfFileUrl, REST_MS } from './files.ts'
import { FakeClock } from '../testing/fakes.ts'

let terminal: Terminal
let clock: FakeClock
let now: number
let asked: string[][]
let opened: string[]
let links: FileLinks

const file = (path: string): FoundFile => ({ kind: 'file', size: 1, path: `/home/developer/${path}` })
const FILES: Record<string, FoundFile> = {
  'src/x.ts': file('src/x.ts'),
  'wide/文.md': file('wide/文.md'),
  'a/folder': { kind: 'folder', size: 0, path: '/home/developer/a/folder' },
}
const print = (text: string) => new Promise<void>((resolve) => terminal.write(text, resolve))
/** Hovers over a row until the pointer has rested long enough. */
const hover = async (row: number): Promise<ILink[]> => {
  const found = new Promise<ILink[]>((resolve) => links.provideLinks(row, (all) => resolve(all ?? [])))
  clock.advance(REST_MS)
  return found
}

beforeEach(() => {
  terminal = new Terminal({ allowProposedApi: true, cols: 20, rows: 10 })
  clock = new FakeClock()
  now = 0
  asked = []
  opened = []
  links = new FileLinks(terminal as unknown as BrowserTerminal, {
    find: (paths) => {
      asked.push(paths)
      return Promise.resolve(paths.map((path) => FILES[path] ?? { kind: null, size: 0, path: null }))
    },
    open: (path) => opened.push(path),
    now: () => now,
    schedule: clock.schedule,
  })
})
afterEach(() => terminal.dispose())

describe('a path of a file in the output', () => {
  it('is a link with its line number, and opens where the file really is', async () => {
    await print('at src/x.ts:12 a/b')
    const [link, ...others] = await hover(1)
    expect(others).toEqual([])
    expect(link).toMatchObject({ text: 'src/x.ts:12', range: { start: { x: 4, y: 1 }, end: { x: 14, y: 1 } } })
    // A double click sends two clicks. The second selects a word.
    for (const detail of [1, 2]) link!.activate({ detail } as MouseEvent, link!.text)
    expect(opened).toEqual(['/home/developer/src/x.ts'])
  })

  it('is one over the rows that it wraps into, and behind wide characters', async () => {
    await print('一二三 wide/文.md 0123 src/x.ts')
    for (const row of [1, 2]) {
      const found = await hover(row)
      expect(found.map(({ text, range }) => ({ text, range }))).toEqual([
        { text: 'wide/文.md', range: { start: { x: 8, y: 1 }, end: { x: 17, y: 1 } } },
        { text: 'src/x.ts', range: { start: { x: 4, y: 2 }, end: { x: 11, y: 2 } } },
      ])
    }
  })

  it('opens at a tap at once, and beside it nothing does', async () => {
    await print('at src/x.ts:12 a/folder 0123 wide/文.md')
    for (const x of [1, 3, 15]) await links.tap({ x, y: 1 })
    expect(asked).toEqual([])
    for (const x of [4, 14]) await links.tap({ x, y: 1 })
    expect(opened).toEqual(['/home/developer/src/x.ts', '/home/developer/src/x.ts'])
    expect(asked).toEqual([['src/x.ts']])
    // The second row of a folder's path, with another path after it.
    await links.tap({ x: 3, y: 2 })
    await links.tap({ x: 12, y: 2 })
    expect(opened.slice(2)).toEqual(['/home/developer/wide/文.md'])
  })

  it('is none where there is no such file, or a folder', async () => {
    await print('no/such a/folder')
    expect(await hover(1)).toEqual([])
    expect(asked).toEqual([['no/such', 'a/folder']])
  })

  it('is looked for once while the answer holds, and not while the pointer only passes', async () => {
    await print('src/x.ts\r\nsrc/x.ts a/b')
    let passed: unknown = 'waiting'
    links.provideLinks(1, (found) => (passed = found))
    expect(await hover(2)).toHaveLength(1)
    expect(passed).toBeUndefined()
    expect(asked).toEqual([['src/x.ts', 'a/b']])
    await hover(1)
    expect(asked).toHaveLength(1)
    now += HOLD_MS
    await hover(1)
    expect(asked[1]).toEqual(['src/x.ts'])
    expect(clock.pending).toBe(0)
  })

  it('costs nothing where no line has one', async () => {
    await print('plain words only')
    expect(await hover(1)).toEqual([])
    expect(asked).toEqual([])
  })
})

describe('a link to a file that a program marked', () => {
  it.each([
    ['file:///home/developer/a%20b.md', '/home/developer/a b.md'],
    ['file://container/home/developer/x', '/home/developer/x'],
    ['file:///home/developer/caf%E9', '/home/developer/caf\udce9'],
    ['https://example.org/x', null],
    ['javascript:alert(1)', null],
    ['file:///%zz', null],
    ['nonsense', null],
  ])('%s', (text, path) => expect(pathOfFileUrl(text)).toBe(path))
})
