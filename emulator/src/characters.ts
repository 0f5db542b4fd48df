import type { Terminal } from '@xterm/headless'

/** How many bytes at the end are the beginning of a character of UTF-8 whose rest has not come. */
export const openCharacter = (data: Uint8Array): number => {
  for (let back = 1; back <= Math.min(3, data.length); back += 1) {
    const byte = data[data.length - back] ?? 0
    if (byte < 0x80) return 0
    // A continuation: its first byte is further back.
    if (byte < 0xc0) continue
    const needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    return needs > back ? back : 0
  }
  return 0
}

/** Of xterm.js 5.5.0, which package.json pins. */
interface Core {
  readonly _inputHandler: { readonly _utf8Decoder: Decoder }
}
interface Decoder {
  /** The bytes of a character that has not come whole; the others are 0. */
  readonly interim: Uint8Array
  decode(input: Uint8Array, target: Uint32Array): number
}

/**
 * Shows characters that come in two pieces. Where the first ends with a byte that says nothing but zeros, xterm.js 5.5 takes that for
 * none, and shows no character or a wrong one: dashes, dots (…) and quotation marks are such, and the joiner within an emoji. So its decoder is
 * given whole characters, and what has not come whole is kept where it keeps that itself.
 */
export function joinCharacters(terminal: Terminal): void {
  const decoder = (terminal as unknown as { readonly _core: Core })._core._inputHandler._utf8Decoder
  const { interim } = decoder
  const decode = decoder.decode.bind(decoder)
  decoder.decode = (input, target) => {
    const data = interim[0] === 0 ? input : joined(interim, input)
    interim.fill(0)
    const whole = data.length - openCharacter(data)
    const size = decode(data.subarray(0, whole), target)
    interim.set(data.subarray(whole))
    return size
  }
}

/** No byte of a character of more than one is 0. */
const joined = (interim: Uint8Array, input: Uint8Array): Uint8Array => {
  const begun = interim.filter((byte) => byte !== 0)
  const data = new Uint8Array(begun.length + input.length)
  data.set(begun)
  data.set(input, begun.length)
  return data
}
