import { Terminal } from '@xterm/headless'
import type { Terminal as BrowserTerminal } from '@xterm/xterm'
import { describe, expect, it } from 'vitest'
import { CLIPBOARD_BYTES_MAX, parseClipboardWrite, watchClipboard } from './clipboardWrite.ts'

describe('what a program puts on the clipboard', () => {
  it.each([
    ['a text', `c;${btoa('copied')}`, 'copied'],
    ['a text for no clipboard in particular', `;${btoa('copied')}`, 'copied'],
    [
      'a text with umlauts for others',
      `ps;${btoa(String.fromCharCode(...new TextEncoder().encode('Grüße')))}`,
      'Grüße',
    ],
    ['a question', 'c;?', null],
    ['another question', ';?', null],
    ['no text', 'c;', null],
    ['nothing', 'c', null],
    ['no base64', 'c;!!!', null],
    ['no UTF-8', `c;${btoa('\xff\xff')}`, null],
    ['more than it may', `c;${btoa('x'.repeat(CLIPBOARD_BYTES_MAX + 1))}`, null],
  ])('by %s', (_what, payload, text) => expect(parseClipboardWrite(payload)).toBe(text))

  it('is for the user in control at that time', async () => {
    const terminal = new Terminal({ allowProposedApi: true })
    const copied: string[] = []
    let hasControl = false
    watchClipboard(
      terminal as unknown as BrowserTerminal,
      () => hasControl,
      (text) => copied.push(text),
    )
    const print = (text: string) =>
      new Promise<void>((resolve) => terminal.write(`\x1b]52;c;${btoa(text)}\x07`, resolve))
    await print('of another user')
    hasControl = true
    await print('own')
    expect(copied).toEqual(['own'])
    terminal.dispose()
  })
})
