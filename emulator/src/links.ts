import type { Terminal } from '@xterm/headless'

/** Longest link, in UTF-16 code units. VTE accepts an address of 2083 bytes and an id of 250. */
export const LINK_MAX = 2333

/** Internals of xterm.js 5.5.0, which package.json pins. */
interface Core {
  readonly _inputHandler: { setHyperlink(data: string): boolean }
}

/**
 * A longer link (OSC 8) only ends the previous one. xterm.js 5.5 accepts addresses of ten million characters, and each
 * print of the screen would repeat the address for every line of the link.
 */
export function boundLinks(terminal: Terminal): void {
  const { _inputHandler: handler } = (terminal as unknown as { readonly _core: Core })._core
  terminal.parser.registerOscHandler(8, (data) => data.length > LINK_MAX && handler.setHyperlink(';'))
}
