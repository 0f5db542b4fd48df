import headless from '@xterm/headless'
import { expect, test } from 'vitest'
import { boundLinks, LINK_MAX } from './links.ts'

const start = (uri: string): string => `\x1b]8;;${uri}\x1b\\`

test('a link that is too long is none, and ends the one before', async () => {
  const terminal = new headless.Terminal({ cols: 40, rows: 2, allowProposedApi: true })
  boundLinks(terminal)
  const [longest, longer] = ['a'.repeat(LINK_MAX - 1), 'a'.repeat(LINK_MAX)]
  await new Promise<void>((resolve) => terminal.write(`${start(longest)}one${start(longer)}two${start('')}`, resolve))
  const { _core } = terminal as unknown as {
    readonly _core: { readonly _oscLinkService: { getLinkData(id: number): unknown } }
  }
  const linkAt = (x: number): unknown => {
    const cell = terminal.buffer.active.getLine(0)!.getCell(x) as unknown as { extended: { urlId: number } }
    return _core._oscLinkService.getLinkData(cell.extended.urlId)
  }
  expect([linkAt(2), linkAt(3)]).toEqual([{ uri: longest, id: undefined }, undefined])
  expect(terminal.buffer.active.getLine(0)!.translateToString(true)).toBe('onetwo')
})
