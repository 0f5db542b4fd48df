/** Finds the end of a link in a line of output: a web address, or the path of a file. */

export type LinkKind = 'web' | 'path'

/** Longest link, in UTF-16 code units. Longer text is not a link. */
export const LINK_MAX: Readonly<Record<LinkKind, number>> = { web: 2048, path: 512 }

/**
 * ASCII characters that surround both kinds of link in prose, tables and code. No address contains them:
 * https://www.rfc-editor.org/rfc/rfc3986#appendix-A.
 */
const OUTSIDE = new Set('<>"`|\\^{}')
/** Characters that separate two paths in prose and shells. A web address may contain them. */
const OUTSIDE_PATHS = new Set("'*?$&;,=")
/**
 * Characters beyond ASCII that end a link: punctuation and brackets (`。`, `（`, `…`), mathematical signs and arrows,
 * boxes and blocks, spaces, and invisible characters. Letters and emoji with their joiners are part of names.
 */
const OUTSIDE_BEYOND_ASCII =
  /(?![\u200c\u200d\p{Emoji_Modifier}])[\p{P}\p{Sm}\p{Sk}\p{Z}\p{C}\u2190-\u21ff\u2500-\u25ff]/u
/** Punctuation that joins two letters: `Bose–Einstein`, `col·lecció`, `レオナルド・ダ`. */
const JOINING = new Set('·・‐‑–')
const LETTER = /[\p{L}\p{N}]/u

const CLOSING_OF = new Map([
  ['(', ')'],
  ['[', ']'],
  ['（', '）'],
  ['［', '］'],
  ['【', '】'],
])
const CLOSING = new Set(CLOSING_OF.values())
/** Characters that end a sentence, a quotation or an emphasis, but no link. */
const TRAILING = new Set(".,:;!?'*")
/** A link does not end with these, if the same mark stands right before it: `_https://example.org_`. */
const EMPHASIS = new Set('_~')
/** Text after a bracket that is part of a name: `(group)/page.tsx`, `[id].ts`, `report_(1)_b.pdf`. */
const NAME_GOES_ON = /^(?:\/|[\w-]{0,32}\.)[\p{L}\p{N}_[(]/u
/** How much text after the bracket is read, in UTF-16 code units. */
const NAME_READ = 36
const NEXT_ADDRESS = /^[,;]https?:\/\//i

/** Most open brackets within a link. */
const OPEN_MAX = 8

export interface LinkEnd {
  /** Offset after the link's last character. Equal to the start if there is no link. */
  readonly end: number
  /** Offset at which to search for the next link. */
  readonly next: number
}

/** Finds the end of the link that starts at `start`. */
export function linkEnd(text: string, start: number, kind: LinkKind): LinkEnd {
  if (CLOSING_OF.has(text.charAt(start))) return { end: start, next: start + 1 }
  const before = text.charAt(start - 1)
  const opened: { readonly at: number; readonly closing: string }[] = []
  let at = start
  while (at < text.length && opened.length <= OPEN_MAX) {
    const character = String.fromCodePoint(text.codePointAt(at)!)
    const closing = CLOSING_OF.get(character)
    if (closing !== undefined) opened.push({ at, closing })
    else if (CLOSING.has(character)) {
      const opening = opened.at(-1)
      if (opening?.closing !== character || !isInside(text, opening.at, at, kind)) break
      opened.pop()
    } else if (isOutside(text, at, character, kind, before)) break
    at += character.length
  }
  // A bracket without a closing one inside the link is not part of it.
  const stop = opened[0]?.at ?? at
  const end = withoutTrailing(text, start, stop, before)
  return { end: end - start > LINK_MAX[kind] ? start : end, next: Math.max(start + 1, stop) }
}

/** Whether a pair of brackets is part of the link around it. */
function isInside(text: string, opening: number, closing: number, kind: LinkKind): boolean {
  const isAscii = text.charCodeAt(opening) < 0x80
  if (isAscii && kind === 'web') return true
  // In `Write(src/x.ts)` and `src/x.ts(12,3)` the brackets call or annotate a path.
  return (
    !text.slice(opening, closing).includes('/') && NAME_GOES_ON.test(text.slice(closing + 1, closing + 1 + NAME_READ))
  )
}

function isOutside(text: string, at: number, character: string, kind: LinkKind, before: string): boolean {
  if (character <= ' ' || character === '\x7f' || OUTSIDE.has(character)) return true
  if (kind === 'path' && OUTSIDE_PATHS.has(character)) return true
  // `'https://example.org'` ends with its quotation. `Murphy's_law` is one word.
  if (character === "'" && before === "'") return true
  if (character === ',' || character === ';') return NEXT_ADDRESS.test(text.slice(at, at + 9))
  if (JOINING.has(character) && LETTER.test(text.charAt(at - 1)) && LETTER.test(text.charAt(at + 1))) return false
  return character > '\x7f' && OUTSIDE_BEYOND_ASCII.test(character)
}

function withoutTrailing(text: string, start: number, end: number, before: string): number {
  const isTrailing = (character: string): boolean =>
    TRAILING.has(character) || (character === before && EMPHASIS.has(character))
  let at = end
  while (at > start && isTrailing(text.charAt(at - 1))) at -= 1
  return at
}
