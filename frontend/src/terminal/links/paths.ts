/** Finds text in a line of output that may be the path of a file. A lookup in the agent's home decides. */
import { FIND_PATHS_MAX } from '@slipway/protocol'
import { linkEnd } from './ends.ts'
import { webAddressesIn } from './web.ts'

export interface Candidate {
  path: string
  /** Offset in the text. `end` is after the last character, including a line number. */
  start: number
  end: number
}

/** A position as compilers and CLIs print it: `:12`, `:12:3` or `:12-14`. */
const PLACE = /:\d+(?:[:-]\d+)?$/
/** A name with an extension, such as README.md, but no version and no number. */
const NAME = /^[\w.+-]*[A-Za-z_][\w+-]*\.[A-Za-z][A-Za-z0-9]{0,9}$/

/** The candidates in the line's order, at most as many as one lookup accepts. */
export function pathsIn(text: string): Candidate[] {
  const found: Candidate[] = []
  let start = 0
  for (const address of [...webAddressesIn(text), { start: text.length, end: text.length }]) {
    while (start < address.start && found.length < FIND_PATHS_MAX) {
      const { end, next } = linkEnd(text, start, 'path')
      const candidate = candidateAt(text, start, end)
      if (candidate !== null) found.push(candidate)
      start = next
    }
    start = Math.max(start, address.end)
  }
  return found
}

function candidateAt(text: string, start: number, end: number): Candidate | null {
  const whole = text.slice(start, end)
  const path = whole.replace(PLACE, '')
  if (whole.includes('://')) return null
  const isPath = path.includes('/') ? /[\p{L}\p{N}_]/u.test(path) : NAME.test(path)
  return isPath ? { path, start, end } : null
}
