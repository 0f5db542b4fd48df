import type { Coloured } from './highlight.ts'

type Line = Coloured[number]

/** A part of a line of code: its coloured pieces, and whether it stays on one line where that has room. */
export interface Run {
  readonly pieces: Line
  readonly isWhole: boolean
}

/** Browsers break a line at a hyphen, too. Then one argument of a command looks like two. */
const SIGN = /[^\w\s]/

/** The parts of a text without colours, and whether each stays on one line where that has room. */
export const partsOf = (text: string): { text: string; isWhole: boolean }[] =>
  text.split(/(\s+)/).map((part) => ({ text: part, isWhole: SIGN.test(part) }))

/** The runs of a line. What has a sign and no space is one whole run, although its pieces may have different colours. */
export function runsOf(line: Line): Run[] {
  const left = [...line]
  return partsOf(line.map(([text]) => text).join(''))
    .map(({ text, isWhole }) => ({ pieces: take(left, text.length), isWhole }))
    .filter(({ pieces }) => pieces.length > 0)
}

/** Takes pieces of this length, in UTF-16 code units. A longer piece is divided. */
function take(left: Line, length: number): Line {
  const taken: Line = []
  let wanted = length
  while (wanted > 0) {
    const first = left.shift()
    if (first === undefined) break
    const [text, light, dark] = first
    taken.push([text.slice(0, wanted), light, dark])
    if (text.length > wanted) left.unshift([text.slice(wanted), light, dark])
    wanted -= text.length
  }
  return taken
}
