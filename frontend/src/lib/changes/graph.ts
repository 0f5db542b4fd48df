import type { GitCommit } from '@slipway/protocol'

/** A line of the graph in one row, from a lane at its top to one at its bottom. */
export interface GraphLine {
  readonly from: number
  readonly to: number
  /** Lines of one colour belong together. */
  readonly colour: number
  /** Whether it begins or ends at the row's commit, in the middle. */
  readonly half: 'none' | 'top' | 'bottom'
}

/** The graph beside one commit. */
export interface GraphRow {
  readonly lane: number
  readonly colour: number
  readonly lines: readonly GraphLine[]
  /** How many lanes the row needs. */
  readonly width: number
}

/** Lanes that are drawn. What is beyond is not, so that a history of many branches keeps its texts. */
export const LANES_MAX = 12

/** A lane waits for a commit: the next one that is drawn in it. */
interface Lane {
  readonly waits: string
  readonly colour: number
}

/**
 * Draws the rows of a log, in which each commit comes before its parents. Call it again with further commits: the lanes go on.
 */
export class Graph {
  #lanes: (Lane | null)[] = []
  #colours = 0

  add(commits: readonly Pick<GitCommit, 'id' | 'parents'>[]): GraphRow[] {
    return commits.map((commit) => this.#row(commit))
  }

  #row({ id, parents }: Pick<GitCommit, 'id' | 'parents'>): GraphRow {
    const before = this.#lanes
    const found = before.findIndex((lane) => lane?.waits === id)
    const lane = found === -1 ? this.#free(before) : found
    const colour = before[lane]?.colour ?? this.#colours++
    const after: (Lane | null)[] = before.map((one) => (one?.waits === id ? null : one))
    const [first, ...others] = parents
    const lines: GraphLine[] = []
    if (first !== undefined) {
      const shared = after.findIndex((one) => one?.waits === first)
      // A branch that began in a lane further left ends there. Lanes further right end at the commit itself.
      const to = shared === -1 || shared > lane ? lane : shared
      if (to === lane) after[lane] = { waits: first, colour }
      lines.push({ from: lane, to, colour, half: 'bottom' })
    }
    for (const parent of others) {
      const shared = after.findIndex((one) => one?.waits === parent)
      const to = shared === -1 ? this.#free(after) : shared
      const own = after[to] ?? { waits: parent, colour: this.#colours++ }
      after[to] = own
      lines.push({ from: lane, to, colour: own.colour, half: 'bottom' })
    }
    before.forEach((one, at) => {
      if (one === null) return
      if (one.waits === id) lines.push({ from: at, to: lane, colour: one.colour, half: 'top' })
      else lines.push({ from: at, to: at, colour: one.colour, half: 'none' })
    })
    while (after.length > 0 && after.at(-1) === null) after.pop()
    this.#lanes = after
    const width = Math.max(lane, ...lines.map(({ from, to }) => Math.max(from, to))) + 1
    return { lane, colour, lines, width }
  }

  /** The first free lane. One beyond the last that was written is undefined. */
  #free(lanes: readonly (Lane | null | undefined)[]): number {
    const at = lanes.findIndex((lane) => lane === null || lane === undefined)
    return at === -1 ? lanes.length : at
  }
}
