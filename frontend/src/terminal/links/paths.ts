/** Finds in a line of output what may be the path of a file. Whether it is one, the agent's home decides. */
import { FIND_PATHS_MAX } from '@slipway/protocol'
import { linkEnd } from './ends.ts'
import { webAddressesIn } from './web.ts'

export interface Candidate {
  path: string
  /** Where it stands in the text; `end` is behind its last character, with a line number that follows it. */
  start: number
  end: number
}

/** `:12`, `:12:3` or `:12-14`, as compilers and CLIs say where. */
const PLACE = /:\d+(?:[:-]\d+)?$/
/** A name with an ending, as README.md; no version and no number. */
const NAME = /^[\w.+-]*[A-Za-z_][\w+-]*\.[A-Za-z][A-Za-z0-9]{0,9}$/

/** At most so many as can be asked for at once, in the order of the line. */
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
