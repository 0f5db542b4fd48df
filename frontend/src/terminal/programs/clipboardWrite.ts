import { decodeBase64 } from '@slipway/emulator'
import type { IDisposable, Terminal } from '@xterm/xterm'

/** Largest text that a program may put on the clipboard, in bytes. */
export const CLIPBOARD_BYTES_MAX = 1024 * 1024

/**
 * Parses the text after `52;`: the clipboards, which count as one here, and the text. Null for a query of the
 * clipboard, which is never answered, and for an empty text.
 */
export function parseClipboardWrite(payload: string): string | null {
  const at = payload.indexOf(';')
  if (at < 0 || payload.slice(at + 1) === '?') return null
  return decodeBase64(payload.slice(at + 1), CLIPBOARD_BYTES_MAX) || null
}

/**
 * Reports text that programs put on the clipboard, only to the participant with control. That participant caused the
 * copy; it must not replace another participant's clipboard. Reading is not supported.
 */
export function watchClipboard(
  terminal: Terminal,
  hasControl: () => boolean,
  onText: (text: string) => void,
): IDisposable {
  return terminal.parser.registerOscHandler(52, (payload) => {
    const text = parseClipboardWrite(payload)
    if (text !== null && hasControl()) onText(text)
    return true
  })
}
