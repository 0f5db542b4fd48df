import type { ILink, ILinkProvider, Terminal } from '@xterm/xterm'
import { linkEnd } from './ends.ts'
import { lineAt } from './line.ts'
import { atFirstClick, webTargetOf } from './open.ts'

const SCHEME = /https?:\/\//gi

export interface WebAddress {
  readonly start: number
  /** Offset after its last character. */
  readonly end: number
}

/** The web addresses in a line, in order. */
export function webAddressesIn(text: string): WebAddress[] {
  const found: WebAddress[] = []
  let from = 0
  for (const { 0: scheme, index: start } of text.matchAll(SCHEME)) {
    if (start < from) continue
    const { end, next } = linkEnd(text, start, 'web')
    from = next
    if (end > start + scheme.length && webTargetOf(text.slice(start, end)) !== null) found.push({ start, end })
  }
  return found
}

/** Makes links of the web addresses in the line under the pointer. */
export class WebLinks implements ILinkProvider {
  readonly #terminal: Terminal
  readonly #open: (address: string) => void

  constructor(terminal: Terminal, open: (address: string) => void) {
    this.#terminal = terminal
    this.#open = open
  }

  provideLinks(row: number, callback: (links: ILink[] | undefined) => void): void {
    const line = lineAt(this.#terminal.buffer.active, row - 1, this.#terminal.cols)
    const links = webAddressesIn(line.text).map(({ start, end }): ILink => ({
      range: { start: line.cellOf(start), end: line.cellOf(end - 1) },
      text: line.text.slice(start, end),
      activate: atFirstClick(this.#open),
    }))
    callback(links)
  }
}
