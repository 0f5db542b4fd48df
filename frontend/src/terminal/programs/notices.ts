/** Notifications of programs, in all three formats. They are shown as plain text, and shortened. */
import { decodeBase64 } from '@slipway/emulator'

/** Longest shown text of a notification, in characters. */
const TEXT_MAX = 200
/** Most bytes of one chunk of a notification in kitty's format, and most unfinished chunks. */
const PIECE_BYTES_MAX = 4096
const UNFINISHED_MAX = 8

/** Invisible characters: controls, and marks that reverse or hide the text beside them. */
const INVISIBLE = /[\p{Cc}\p{Cf}\u2028\u2029]+/gu

/** A program's text, safe to show. Null if nothing is left. */
export function shownText(text: string): string | null {
  const clean = text.replace(INVISIBLE, ' ').replace(/\s+/g, ' ').trim()
  if (clean === '') return null
  return clean.length > TEXT_MAX ? `${clean.slice(0, TEXT_MAX - 1)}…` : clean
}

const joined = (title: string, body: string): string | null =>
  shownText([title, body].filter((part) => part.trim() !== '').join(': '))

/** OSC 9: a text. With a leading number it is ConEmu's progress bar or another command, not a notification. */
export const parseOsc9 = (payload: string): string | null => (/^\d+(;|$)/.test(payload) ? null : shownText(payload))

/** OSC 777: `notify;title;body`. */
export function parseOsc777(payload: string): string | null {
  const [what, title = '', ...body] = payload.split(';')
  return what === 'notify' ? joined(title, body.join(';')) : null
}

/** OSC 99: title and body in chunks with a common id. Queries for supported features get no answer. */
export class KittyNotices {
  readonly #unfinished = new Map<string, { title: string; body: string }>()

  /** The text of a notification that this chunk completes. Null if it is not complete. */
  take(payload: string): string | null {
    const at = payload.indexOf(';')
    if (at < 0 || payload.length > PIECE_BYTES_MAX * 2) return null
    const keys = new Map(
      payload
        .slice(0, at)
        .split(':')
        .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
    )
    const part = keys.get('p') ?? 'title'
    if (part !== 'title' && part !== 'body') return null
    const raw = payload.slice(at + 1)
    const text = keys.get('e') === '1' ? decodeBase64(raw, PIECE_BYTES_MAX) : raw
    if (text === null) return null
    const id = (keys.get('i') ?? '').slice(0, 64)
    const notice = this.#unfinished.get(id) ?? { title: '', body: '' }
    this.#unfinished.delete(id)
    notice[part] = (notice[part] + text).slice(0, PIECE_BYTES_MAX)
    if (keys.get('d') !== '0') return joined(notice.title, notice.body)
    this.#unfinished.set(id, notice)
    if (this.#unfinished.size > UNFINISHED_MAX) this.#unfinished.delete(this.#unfinished.keys().next().value!)
    return null
  }

  reset(): void {
    this.#unfinished.clear()
  }
}
