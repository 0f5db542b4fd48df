/** The user's own terminal: what a program has switched on in it is switched off again at the end. */

/** Switches between the two screens of a terminal (DECSET 47, 1047 and 1049). */
// eslint-disable-next-line no-control-regex
const SCREENS = /\x1b\[\?(?:\d+;)*(?:47|1047|1049)(?:;\d+)*([hl])/g
/** The longest part of such a sequence that a piece may end with, in bytes. */
const TAIL = 31

/**
 * Mouse, focus, bracketed paste, application keys, reports of colours and sizes, keyboard protocols, synchronized output, margins,
 * colours and shapes: as a shell expects them. The margins would move the cursor.
 */
const RESTORE = [
  ...[
    '?2026',
    '?9',
    '?1000',
    '?1002',
    '?1003',
    '?1004',
    '?1005',
    '?1006',
    '?1015',
    '?1016',
    '?2004',
    '?2031',
    '?2048',
    '?1',
    '4',
  ].map((mode) => `\x1b[${mode}l`),
  ...['\x1b[=0u', '\x1b[>4m', '\x1b>'],
  ...['\x1b7', '\x1b[?6l', '\x1b[r', '\x1b8'],
  ...['\x1b(B', '\x0f', '\x1b[0m', '\x1b[0 q', '\x1b[?7h', '\x1b[?25h'],
].join('')

export class LocalScreen {
  #isAlternate = false
  #tail = ''

  /** Call it with all output, which it only reads. */
  watch(bytes: Buffer): void {
    const text = this.#tail + bytes.toString('latin1')
    for (const [sequence, way] of text.matchAll(SCREENS)) this.#isAlternate = sequence !== '' && way === 'h'
    // A full reset (RIS) leaves the alternate screen, too. It begins each screen of the server.
    const reset = text.lastIndexOf('\x1bc')
    if (reset !== -1 && text.slice(reset).search(SCREENS) === -1) this.#isAlternate = false
    this.#tail = text.slice(-TAIL)
  }

  /** What makes the terminal usable for the shell that comes after. */
  get restoring(): string {
    return `${this.#isAlternate ? '\x1b[?1049l' : ''}${RESTORE}\r\n`
  }
}
