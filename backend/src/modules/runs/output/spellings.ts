/** The spellings in which a secret can stand in the output of a program. */
import { SOUGHT_MIN } from './search.ts'

/** Escapes a text for a JSON string. */
type Escape = (text: string) => string

const json: Escape = (text) => JSON.stringify(text).slice(1, -1)
const escapedUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
/** As Python's `json.dumps` does. */
const asciiJson: Escape = (text) => json(text).replaceAll(/[\u007f-\uffff]/g, escapedUnit)
/** As Go's `encoding/json` does. */
const htmlJson: Escape = (text) => json(text).replaceAll(/[<>&\u2028\u2029]/g, escapedUnit)

const lowerHex = (text: string): string => text.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())

/** With `%XX`, and as in the body of a form. */
const urlSpellings = (text: string): string[] => {
  // Half of a character cannot be encoded.
  const encoded = encodeURIComponent(text.toWellFormed())
  const form = new URLSearchParams({ '': text }).toString().slice(1)
  return [encoded, lowerHex(encoded), form, lowerHex(form)]
}

/** Bits of a byte, and of a character in base64. */
const [BYTE, SIXTH] = [8, 6]

/**
 * In base64 a byte is spelled in three ways, by its place. At both ends of the secret a character also has bits of its
 * neighbours, so only the characters between them are the same in every text.
 */
const base64Spellings = (text: string): string[] => {
  const bytes = Buffer.from(text)
  const inner = [0, 1, 2].flatMap((before) => {
    const first = Math.ceil((before * BYTE) / SIXTH)
    const behind = Math.floor(((before + bytes.length) * BYTE) / SIXTH)
    const shifted = Buffer.concat([Buffer.alloc(before), bytes])
    return (['base64', 'base64url'] as const).map((alphabet) => shifted.toString(alphabet).slice(first, behind))
  })
  return [...inner, bytes.toString('base64'), bytes.toString('base64url')]
}

/** The parts of a secret of several lines, such as a key file, which is printed line by line. */
const partsOf = (secret: string): string[] => [secret, ...[secret, ...secret.split(/\r?\n/)].map((part) => part.trim())]

/** All spellings of a secret that are long enough to be sought. A shorter one would tear ordinary words apart. */
export const spellingsOf = (secret: string): string[] =>
  [...new Set(partsOf(secret))]
    .filter((part) => part.length >= SOUGHT_MIN && /\S/.test(part))
    .flatMap((part) => [
      part,
      json(part),
      asciiJson(part),
      htmlJson(part),
      // JSON within JSON, as in the output of a tool.
      json(json(part)),
      json(asciiJson(part)),
      json(htmlJson(part)),
      ...urlSpellings(part),
      ...base64Spellings(part),
    ])
    .filter((spelling) => spelling.length >= SOUGHT_MIN)
