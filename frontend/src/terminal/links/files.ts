import type { FoundFile } from '@slipway/protocol'
import { decodePath } from '@/lib/pathBytes.ts'
import type { ILink, ILinkProvider, Terminal } from '@xterm/xterm'
import { afterMs, type Schedule } from '@/lib/timing/schedule.ts'
import { lineAt, type Cell, type OutputLine } from './line.ts'
import { atFirstClick } from './open.ts'
import { pathsIn, type Candidate } from './paths.ts'

/**
 * How long the pointer must rest on a line before the lookup of its paths, in milliseconds. Each lookup runs a program
 * in the container.
 */
export const REST_MS = 120
/** How long a lookup's result is valid, in milliseconds. Agents create and remove files all the time. */
export const HOLD_MS = 10_000
/** Most results kept. The oldest are evicted. */
const KEPT_MAX = 256

export interface FileLinkOptions {
  /** Which of the paths are files, in the same order. */
  find: (paths: string[]) => Promise<FoundFile[]>
  /** The user clicked or tapped the link. */
  open: (path: string) => void
  now?: () => number
  schedule?: Schedule
}

/** Makes links of the file paths in the line under the pointer. */
export class FileLinks implements ILinkProvider {
  readonly #answers = new Map<string, { at: number; file: FoundFile }>()
  readonly #terminal: Terminal
  readonly #options: Required<FileLinkOptions>
  #giveUp = (): void => undefined

  constructor(terminal: Terminal, options: FileLinkOptions) {
    this.#terminal = terminal
    this.#options = { now: () => performance.now(), schedule: afterMs, ...options }
  }

  provideLinks(row: number, callback: (links: ILink[] | undefined) => void): void {
    this.#giveUp()
    const line = lineAt(this.#terminal.buffer.active, row - 1, this.#terminal.cols)
    const candidates = pathsIn(line.text)
    if (candidates.length === 0) return callback(undefined)
    let over = false
    const settle = (links: ILink[] | undefined): void => {
      if (over) return
      over = true
      callback(links)
    }
    const look = async (): Promise<void> => {
      const files = await this.#filesOf([...new Set(candidates.map(({ path }) => path))]).catch(() => null)
      settle(files === null ? undefined : candidates.flatMap((each) => this.#linkOf(each, files.get(each.path), line)))
    }
    const cancel = this.#options.schedule(() => void look(), REST_MS)
    this.#giveUp = () => {
      cancel()
      settle(undefined)
    }
  }

  /**
   * Handles a tap where no link is known yet, because a tap does not rest on the line first. `x` and `y` are the
   * buffer's cell, from 1.
   */
  async tap({ x, y }: Cell): Promise<void> {
    const { cols } = this.#terminal
    const line = lineAt(this.#terminal.buffer.active, y - 1, cols)
    const place = ({ x, y }: Cell): number => y * cols + x
    const isHit = ({ start, end }: Candidate): boolean =>
      place(line.cellOf(start)) <= place({ x, y }) && place({ x, y }) <= place(line.cellOf(end - 1))
    const hit = pathsIn(line.text).find(isHit)
    if (hit === undefined) return
    const file = (await this.#filesOf([hit.path]).catch(() => null))?.get(hit.path)
    if (file?.kind === 'file' && file.path !== null) this.#options.open(file.path)
  }

  /** Another agent is shown, or none. */
  reset(): void {
    this.#giveUp()
    this.#answers.clear()
  }

  async #filesOf(paths: string[]): Promise<Map<string, FoundFile>> {
    const now = this.#options.now()
    const known = new Map(
      paths.flatMap((path) => {
        const answer = this.#answers.get(path)
        return answer !== undefined && now - answer.at < HOLD_MS ? [[path, answer.file] as const] : []
      }),
    )
    const missing = paths.filter((path) => !known.has(path))
    const found = missing.length === 0 ? [] : await this.#options.find(missing)
    for (const [at, file] of found.entries()) {
      const path = missing[at]!
      known.set(path, file)
      this.#answers.delete(path)
      this.#answers.set(path, { at: now, file })
    }
    while (this.#answers.size > KEPT_MAX) this.#answers.delete(this.#answers.keys().next().value!)
    return known
  }

  #linkOf({ start, end }: Candidate, file: FoundFile | undefined, line: OutputLine): ILink[] {
    // A folder would download as an archive, which users do not expect of a click.
    if (file?.kind !== 'file' || file.path === null) return []
    const { path } = file
    const range = { start: line.cellOf(start), end: line.cellOf(end - 1) }
    return [{ range, text: line.text.slice(start, end), activate: atFirstClick(() => this.#options.open(path)) }]
  }
}

/** The path of a program's `file:` link (OSC 8), for any host. Null for any other link. */
export function pathOfFileUrl(text: string): string | null {
  try {
    const url = new URL(text)
    const isPath = url.protocol === 'file:' && !/%(?![0-9a-f]{2})/i.test(url.pathname)
    return isPath ? decodePath(url.pathname) : null
  } catch {
    return null
  }
}
