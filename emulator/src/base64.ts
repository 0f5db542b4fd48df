/** Encodes and decodes text in programs' escape sequences. */

/** Null unless the value is base64 of valid UTF-8 with at most `max` bytes. */
export function decodeBase64(value: string, max: number): string | null {
  if (value.length > Math.ceil(max / 3) * 4 + 4) return null
  try {
    const bytes = Uint8Array.from(atob(value), (character) => character.charCodeAt(0))
    return bytes.length > max ? null : new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

/** For at most a few thousand characters. */
export const encodeBase64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)))
