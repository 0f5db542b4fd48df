import { Terminal } from '@xterm/headless'
import type { ILink, Terminal as BrowserTerminal } from '@xterm/xterm'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { webAddressesIn, WebLinks } from './web.ts'

const shown = (text: string) => webAddressesIn(text).map(({ start, end }) => text.slice(start, end))

describe('addresses in a line', () => {
  it.each([
    ['see https://a.test/x（note）and http://b.test/y。', ['https://a.test/x', 'http://b.test/y']],
    ['https://a.test/x,https://b.test/y', ['https://a.test/x', 'https://b.test/y']],
    ['[https://a.test/x](https://a.test/x)', ['https://a.test/x', 'https://a.test/x']],
    ['https://archive.test/https://a.test/', ['https://archive.test/https://a.test/']],
    ['HTTPS://A.TEST/X', ['HTTPS://A.TEST/X']],
    ['http:// https:// https://. https://（x） http://:80 http://[::1', []],
    ['javascript:alert(1) file:///etc/passwd example.test ftp://a.test', []],
  ])('%s', (text, addresses) => expect(shown(text)).toEqual(addresses))

  it('are found fast in any output', () => {
    // CPU time of this process only, so that other load on the machine does not count.
    const began = process.cpuUsage()
    for (const piece of [
      'https://',
      'https://(',
      'https://a.test/(（[',
      'https://a,',
      'https://a()',
      'https://.',
      '。',
    ])
      webAddressesIn(piece.repeat(100_000 / piece.length))
    // In microseconds.
    expect(process.cpuUsage(began).user).toBeLessThan(1_000_000)
  })
})

describe('an address in the output', () => {
  let terminal: Terminal
  let opened: string[]
  const linksAt = (row: number): ILink[] => {
    let links: ILink[] = []
    const provider = new WebLinks(terminal as unknown as BrowserTerminal, (address) => opened.push(address))
    provider.provideLinks(row, (found) => (links = found ?? []))
    return links
  }
  const print = (text: string) => new Promise<void>((resolve) => terminal.write(text, resolve))

  beforeEach(() => {
    terminal = new Terminal({ allowProposedApi: true, cols: 20, rows: 10 })
    opened = []
  })
  afterEach(() => terminal.dispose())

  it('is a link that opens once for a double click', async () => {
    await print('go https://a.test/x.')
    const [link, ...others] = linksAt(1)
    expect(others).toEqual([])
    expect(link).toMatchObject({ text: 'https://a.test/x', range: { start: { x: 4, y: 1 }, end: { x: 19, y: 1 } } })
    for (const detail of [1, 2]) link!.activate({ detail } as MouseEvent, link!.text)
    expect(opened).toEqual(['https://a.test/x'])
  })

  it('is one over the rows that it wraps into', async () => {
    await print('go https://a.test/0123456789/abc x')
    for (const row of [1, 2])
      expect(linksAt(row)).toMatchObject([
        { text: 'https://a.test/0123456789/abc', range: { start: { x: 4, y: 1 }, end: { x: 12, y: 2 } } },
      ])
  })

  it('is one where a wide letter had no room at the end of a row', async () => {
    await print('https://a.test/0123文書 x')
    for (const row of [1, 2])
      expect(linksAt(row)).toMatchObject([
        { text: 'https://a.test/0123文書', range: { start: { x: 1, y: 1 }, end: { x: 3, y: 2 } } },
      ])
  })
})
