/** Finds in a line of output what may be the path of a file. Whether it is one, the agent's home decides. */
import { FIND_PATHS_MAX } from '@slipway/protocol'

export interface Candidate {
  path: string
  /** Where it stands in the text; `end` is behind its last character, with a line number that follows it. */
  start: number
  end: number
}

/** Longest path that is looked for, in characters. */
const PATH_MAX = 512
/** Words without what surrounds a path in prose, tables, quotes and shell. */
const WORD = /[^\s"'`“”‘’<>|()[\]{}*?$&;,=│┃╎]+/gu
/** `:12`, `:12:3` or `:12-14`, as compilers and CLIs say where. */
const PLACE = /:\d+(?:[:-]\d+)?$/
/** A name with an ending, as README.md; no version and no number. */
const NAME = /^[\w.+-]*[A-Za-z_][\w+-]*\.[A-Za-z][A-Za-z0-9]{0,9}$/

/** At most so many as can be asked for at once, in the order of the line. */
export function pathsIn(text: string): Candidate[] {
  const found: Candidate[] = []
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (found.length === FIND_PATHS_MAX) break
    // What ends a sentence ends no path; a dot alone in front is a bullet of a list.
    const whole = word.replace(/[.:!]+$/, '')
    const path = whole.replace(PLACE, '')
    if (path.length > PATH_MAX || whole.includes('://')) continue
    const isPath = path.includes('/') ? /[\p{L}\p{N}_]/u.test(path) : NAME.test(path)
    if (isPath) found.push({ path, start: index, end: index + whole.length })
  }
  return found
}
