/** JSON with comments and with commas after the last element, as editors write `devcontainer.json`. */

/** A string, a comment, a run of spaces, or one other character. */
const PIECE = /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*\*\/|\s+|[^]/gy

/** Throws a `SyntaxError` if it is none. */
export const parseJsonc = (text: string): unknown => {
  const pieces: string[] = []
  /** Where the last comma is, if only spaces and comments have followed. */
  let comma = -1
  for (const [piece] of text.replace(/^\uFEFF/, '').matchAll(PIECE)) {
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
