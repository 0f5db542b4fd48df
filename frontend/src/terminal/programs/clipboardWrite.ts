import { decodeBase64 } from '@slipway/emulator'
import type { IDisposable, Terminal } from '@xterm/xterm'

/** Largest text that a program may put on the clipboard, in bytes. */
export const CLIPBOARD_BYTES_MAX = 1024 * 1024

/**
 * Reads what stands behind `52;`: which clipboards, which count as one here, and the text. Null where it is a question
 * for what is on the clipboard, which nobody answers, or where there is no text.
 */
export function parseClipboardWrite(payload: string): string | null {
  const at = payload.indexOf(';')
  if (at < 0 || payload.slice(at + 1) === '?') return null
  return decodeBase64(payload.slice(at + 1), CLIPBOARD_BYTES_MAX) || null
}

/**
 * Hears what programs want on the clipboard, which is that of whoever has control: it is they who copied it there, and the text of others
 * is not to be replaced by it. Reading is not offered.
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
