import type { Terminal } from '@xterm/headless'

/** Longest link, in UTF-16 code units: VTE takes an address of 2083 bytes and an id of 250. */
export const LINK_MAX = 2333

/** Of xterm.js 5.5.0, which package.json pins. */
interface Core {
  readonly _inputHandler: { setHyperlink(data: string): boolean }
}

/**
 * Takes a longer link (OSC 8) for the end of the one before. xterm.js 5.5 takes ten million letters for an address, which
 * whoever shows the screen anew would have to write for every line on which it goes on.
 */
export function boundLinks(terminal: Terminal): void {
  const { _inputHandler: handler } = (terminal as unknown as { readonly _core: Core })._core
  terminal.parser.registerOscHandler(8, (data) => data.length > LINK_MAX && handler.setHyperlink(';'))
}
