/** The letters and the colours by which people are told apart at a glance. */

/** As many colours as `main.css` has of `--avatar-*`. */
export const AVATAR_COLOURS = 8

/** Two letters of an e-mail address: of its first two words, or the first two. */
export function initialsOf(email: string): string {
  const words = (email.split('@', 1)[0] ?? '').split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
  const letters = words.length > 1 ? words.slice(0, 2).map((word) => word.charAt(0)) : [(words[0] ?? email).slice(0, 2)]
  return letters.join('').toUpperCase()
}

/** A number of 32 bits that is the same for the same text (FNV-1a). */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193)
  return hash >>> 0
}

/**
 * A colour for each, from 1: a person's own wherever they are shown, unless somebody before them has it and another is
 * free.
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
