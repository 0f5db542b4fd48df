/** Bidirectional marks can make code, or a line of a log, look different from its content (CVE-2021-42574). */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g

/** The text with each such mark in sight, and without its effect. */
export const withDirectionsInSight = (text: string): string => text.replace(DIRECTIONS, '\ufffd')

export { withHiddenInSight } from '@slipway/protocol'

/** A character outside ASCII may look like another one. */
const FOREIGN = /(?![\ufffd\p{Cc}])[^\x20-\x7e]/gu
/** Most such characters that are named. */
const FOREIGN_MAX = 8

/** The characters of a text that are not ASCII, each once: "а U+0430". */
export function foreignIn(text: string): string[] {
  const found = [...new Set(text.match(FOREIGN))].slice(0, FOREIGN_MAX)
  return found.map((one) => `${one} U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`)
}
