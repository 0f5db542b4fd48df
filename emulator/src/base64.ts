/** Text in the escape sequences of programs. */

/** Null for what is no base64 of valid UTF-8, or has more than `max` bytes. */
export function decodeBase64(value: string, max: number): string | null {
  if (value.length > Math.ceil(max / 3) * 4 + 4) return null
  try {
    const bytes = Uint8Array.from(atob(value), (character) => character.charCodeAt(0))
    return bytes.length > max ? null : new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

/** Of no more than some thousand characters. */
export const encodeBase64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)))
