/** JSON with comments and with commas after the last element, as editors write `devcontainer.json`. */

/**
 * A string, a comment, a run of spaces, or one other character. Strings and comments match also without their end: a text of
 * many beginnings would otherwise be read to its end for each of them.
 */
const PIECE = /"(?:[^"\\\n]|\\.)*"?|\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?|\s+|[^]/gy
const WHOLE_COMMENT = /^\/\*[^]*\*\/$/

/** Throws a `SyntaxError` if it is none. */
export const parseJsonc = (text: string): unknown => {
  const pieces: string[] = []
  /** Where the last comma is, if only spaces and comments have followed. */
  let comma = -1
  for (const [piece] of text.replace(/^\uFEFF/, '').matchAll(PIECE)) {
    if (piece.startsWith('/*') && !WHOLE_COMMENT.test(piece)) throw new SyntaxError('a comment does not end')
    const isComment = piece.startsWith('//') || piece.startsWith('/*')
    if (isComment || piece.trim() === '') {
      pieces.push(isComment ? ' ' : piece)
      continue
    }
    if ((piece === ']' || piece === '}') && comma >= 0) pieces[comma] = ' '
    comma = piece === ',' ? pieces.length : -1
    pieces.push(piece)
  }
  return JSON.parse(pieces.join(''))
}
