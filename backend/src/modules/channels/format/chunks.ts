/** Cuts a text into messages of a chat. Only what is shown is cut, never what a CLI gets. Pure. */
import { closes, fenceIn } from './clean.ts'

/** Longest message, in UTF-16 code units. Discord takes 2,000. */
export const CHUNK_MAX = 1900

interface Open {
  readonly fence: string
  /** The line that opened it. */
  readonly line: string
}

/** Parts of at most {@link CHUNK_MAX}. A paragraph stays whole if it fits; a block of code that is cut is closed and opened again. */
export const chunksOf = (text: string, max = CHUNK_MAX): string[] => {
  const chunks: string[] = []
  let [lines, length]: [string[], number] = [[], 0]
  let open: Open | null = null

  const add = (line: string): void => {
    lines.push(line)
    length += line.length + 1
  }
  const flush = (): void => {
    const isOpening = open !== null && lines.length === 1 && lines[0] === open.line
    const body = open === null || isOpening ? lines : [...lines, open.fence]
    const chunk = isOpening ? '' : trimmed(body.join('\n'))
    if (chunk !== '') chunks.push(chunk)
    lines = []
    length = 0
    if (open !== null) add(open.line)
  }
  /** What still fits beside the fence that would close the block. */
  const room = (): number => max - length - (open === null ? 0 : open.fence.length + 1)
  const put = (line: string): void => {
    let rest = line
    while (rest.length > room()) {
      // A line that fits into a message of its own begins one.
      const hasContent = lines.length > (open === null ? 0 : 1)
      if (hasContent) flush()
      if (rest.length <= room()) break
      const cut = cutAt(rest, room())
      add(rest.slice(0, cut))
      rest = rest.slice(cut)
      flush()
    }
    add(rest)
  }

  for (const paragraph of paragraphsOf(text)) {
    // A paragraph that fits into a message is not cut because of what stands before it.
    const size = paragraph.reduce((sum, line) => sum + line.length + 1, 0)
    if (open === null && lines.length > 0 && size > room() && size <= max) flush()
    for (const line of paragraph) {
      if (open === null) {
        const fence = fenceIn(line)
        if (fence !== null && room() < line.length + 2 * fence.length + 2) flush()
        put(line)
        if (fence !== null) open = { fence, line }
      } else if (closes(line, open.fence)) {
        // Room for it was kept.
        add(line)
        open = null
      } else put(line)
    }
  }
  flush()
  return chunks
}

/** The lines of a text in groups that are kept together: paragraphs, and blocks of code. */
const paragraphsOf = (text: string): string[][] => {
  const groups: string[][] = [[]]
  let fence: string | null = null
  for (const line of text.split('\n')) {
    const opened: string | null = fence === null ? fenceIn(line) : null
    const isStart: boolean = opened !== null || (fence === null && line.trim() === '')
    if (isStart && groups.at(-1)!.length > 0) groups.push([])
    groups.at(-1)!.push(line)
    if (opened !== null) fence = opened
    else if (fence !== null && closes(line, fence)) {
      fence = null
      groups.push([])
    }
  }
  return groups
}

/** Where to cut a line that is too long: behind a space if one is near, and never inside of a character. */
const cutAt = (line: string, max: number): number => {
  const space = line.lastIndexOf(' ', max - 1)
  const at = space > max / 2 ? space + 1 : max
  const isInside = /[\uD800-\uDBFF]/.test(line[at - 1] ?? '') && /[\uDC00-\uDFFF]/.test(line[at] ?? '')
  return isInside ? at - 1 : at
}

/** Without empty lines at its ends. */
const trimmed = (text: string): string => text.replace(/^(?:[ \t]*\n)+/, '').trimEnd()
