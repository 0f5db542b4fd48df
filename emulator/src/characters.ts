import type { Terminal } from '@xterm/headless'

/** Number of bytes at the end that begin an incomplete UTF-8 character. */
export const openCharacter = (data: Uint8Array): number => {
  for (let back = 1; back <= Math.min(3, data.length); back += 1) {
    const byte = data[data.length - back] ?? 0
    if (byte < 0x80) return 0
    // A continuation byte. The first byte is further back.
    if (byte < 0xc0) continue
    const needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    return needs > back ? back : 0
  }
  return 0
}

/** Internals of xterm.js 5.5.0, which package.json pins. */
interface Core {
  readonly _inputHandler: { readonly _utf8Decoder: Decoder }
}
interface Decoder {
  /** The bytes of an incomplete character. The rest is 0. */
  readonly interim: Uint8Array
  decode(input: Uint8Array, target: Uint32Array): number
}

/**
 * Shows characters that come in two pieces. If the first piece ends with a byte whose payload bits are zero, xterm.js
 * 5.5 ignores that byte, and shows a wrong character or none. Dashes, ellipses (…), quotation marks and the joiner in
 * emoji are affected. So its decoder gets only complete characters. An incomplete one is kept where the decoder itself
 * keeps it.
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

/** In a character of several bytes, none is 0. */
const joined = (interim: Uint8Array, input: Uint8Array): Uint8Array => {
  const begun = interim.filter((byte) => byte !== 0)
  const data = new Uint8Array(begun.length + input.length)
  data.set(begun)
  data.set(input, begun.length)
  return data
}
