/** Removes known secrets from the lines of an output, before anything is stored or read. */

/** Shorter values are no secrets: replacing them would tear ordinary words apart. In UTF-16 code units. */
const SHORTEST = 8
/** Replaces a secret. It needs no escaping in JSON. */
const MASK = '***'

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1)

/** The parts of a secret of several lines, such as a key file, which is printed line by line. */
const partsOf = (secret: string): string[] => [secret, ...[secret, ...secret.split(/\r?\n/)].map((part) => part.trim())]

/** The spellings in which a secret can stand in a line. */
const spellingsOf = (secret: string): string[] => [
  secret,
  escaped(secret),
  // JSON within JSON, as in the output of a tool.
  escaped(escaped(secret)),
  // Half of a character cannot be encoded.
  encodeURIComponent(secret.toWellFormed()),
  Buffer.from(secret).toString('base64'),
  Buffer.from(secret).toString('base64url'),
]

/** Answers a text without these secrets. */
export type Mask = (text: string) => string

/** A mask for these secrets, in every spelling. */
export const maskOf = (secrets: readonly string[]): Mask => {
  const parts = secrets.flatMap(partsOf).filter((part) => part.length >= SHORTEST && /\S/.test(part))
  const spellings = new Set(parts.flatMap(spellingsOf))
  // The longest first, so that no part of a longer spelling stays.
  const all = [...spellings].toSorted((one, other) => other.length - one.length)
  return (text) => all.reduce((masked, spelling) => masked.replaceAll(spelling, MASK), text)
}
