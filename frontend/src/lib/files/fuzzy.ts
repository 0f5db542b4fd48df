/** Finds paths by some of their letters, in their order, as editors do. */

/** A path that fits, with the places of the letters in it. */
export interface Match {
  readonly path: string
  readonly places: readonly number[]
}

const isBoundary = (path: string, at: number): boolean => {
  const before = path[at - 1]
  if (before === undefined || '/-_. '.includes(before)) return true
  const letter = path.charAt(at)
  return letter !== letter.toLowerCase() && before === before.toLowerCase()
}

/**
 * How well a path fits: letters at the beginning of words, side by side, and in the name count more; long paths count
 * less. Null: a letter is missing. It looks for the letters from the end, so that they are in the name if possible.
 */
function fit(path: string, lower: string, letters: string): { score: number; places: number[] } | null {
  const places: number[] = []
  let from = lower.length - 1
  for (let nth = letters.length - 1; nth >= 0; nth -= 1) {
    const at = lower.lastIndexOf(letters.charAt(nth), from)
    if (at < 0) return null
    places.unshift(at)
    from = at - 1
  }
  const whole = lower.lastIndexOf(letters)
  if (whole >= 0) for (let nth = 0; nth < letters.length; nth += 1) places[nth] = whole + nth
  const name = path.lastIndexOf('/') + 1
  let score = -path.length / 100
  for (const [nth, at] of places.entries()) {
    if (at >= name) score += 2
    if (isBoundary(path, at)) score += 2
    if (nth > 0 && places[nth - 1] === at - 1) score += 3
  }
  return { score, places }
}

/** The best paths. Spaces in what the user wrote are left out. */
export function bestOf(paths: readonly string[], wanted: string, most: number): Match[] {
  const letters = wanted.toLowerCase().replaceAll(/\s/g, '')
  if (letters === '') return paths.slice(0, most).map((path) => ({ path, places: [] }))
  const found: (Match & { score: number })[] = []
  for (const path of paths) {
    const lower = path.toLowerCase()
    // Some letters change their number in lower case, so places in such a path would be wrong.
    const fitted = fit(path, lower.length === path.length ? lower : path, letters)
    if (fitted !== null) found.push({ path, ...fitted })
  }
  return found
    .toSorted((one, other) => other.score - one.score || (one.path < other.path ? -1 : 1))
    .slice(0, most)
    .map(({ path, places }) => ({ path, places }))
}

/** A text in pieces, of which every other one is marked. The first one is not. */
export function piecesOf(text: string, marks: readonly (readonly [from: number, to: number])[]): string[] {
  const pieces: string[] = []
  let at = 0
  for (const [from, to] of marks) {
    if (from < at || to <= from) continue
    pieces.push(text.slice(at, from), text.slice(from, to))
    at = to
  }
  return [...pieces, text.slice(at)]
}
