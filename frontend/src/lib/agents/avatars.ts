/** Initials and colours that let the reader tell users apart at a glance. */

/** Number of `--avatar-*` colours in `theme.css`. */
export const AVATAR_COLOURS = 8

/** Two letters for an e-mail address: of its first two words, or its first two letters. */
export function initialsOf(email: string): string {
  const words = (email.split('@', 1)[0] ?? '').split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
  const letters = words.length > 1 ? words.slice(0, 2).map((word) => word.charAt(0)) : [(words[0] ?? email).slice(0, 2)]
  return letters.join('').toUpperCase()
}

/** A 32-bit hash of the text (FNV-1a). */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193)
  return hash >>> 0
}

/**
 * A colour number for each user, from 1. A user has the same colour everywhere, unless a user before them in the list
 * has it and another one is free.
 */
export function coloursOf(emails: readonly string[]): number[] {
  const used = new Set<number>()
  return emails.map((email) => {
    const own = hashOf(email) % AVATAR_COLOURS
    const free = Array.from({ length: AVATAR_COLOURS }, (_, step) => (own + step) % AVATAR_COLOURS)
    const colour = free.find((each) => !used.has(each)) ?? own
    used.add(colour)
    return colour + 1
  })
}
