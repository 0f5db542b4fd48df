import { putNewest } from '@/lib/newest.ts'
import type { Language } from './language.ts'

/** Lines of pieces: the text, and its colour in a light and in a dark theme. */
export type Coloured = (readonly [text: string, light: string, dark: string])[][]

export interface Question {
  readonly id: number
  readonly code: string
  readonly language: Language
}
interface Answer {
  readonly id: number
  readonly lines: Coloured | null
}

/** Longest code that is coloured, in UTF-16 code units. */
const CODE_MAX = 50_000
/** Most pieces of code whose colours are kept, for rows that scroll out of sight and back. */
const KEPT_MAX = 100
/**
 * Longest time that the worker may be silent while code waits, in milliseconds. Some code keeps a grammar busy for minutes, and
 * the authors of the code are strangers.
 */
const SILENT_MAX_MS = 10_000

let worker: Worker | null = null
let asked = 0
const waiting = new Map<number, (lines: Coloured | null) => void>()
const kept = new Map<string, Promise<Coloured | null>>()
let silence: ReturnType<typeof setTimeout> | undefined

/** The code that waits stays plain. Later code gets a new worker. */
function giveUp(): void {
  worker?.terminate()
  worker = null
  for (const settle of waiting.values()) settle(null)
  waiting.clear()
}

/** The worker has said something, or has its first work. */
function heard(): void {
  clearTimeout(silence)
  silence = waiting.size === 0 ? undefined : setTimeout(giveUp, SILENT_MAX_MS)
}

const workerOf = (): Worker => {
  if (worker !== null) return worker
  worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
  worker.onmessage = ({ data }: MessageEvent<Answer>) => {
    waiting.get(data.id)?.(data.lines)
    waiting.delete(data.id)
    heard()
  }
  // The worker could not load. Its code stays plain, and later code tries again.
  worker.onerror = () => {
    kept.clear()
    giveUp()
  }
  return worker
}

/**
 * The colours of code. Null if it is too long, or cannot be coloured now. `longest` is the bound for code that is shown
 * once, in UTF-16 code units; longer code than usual is not kept.
 */
export function highlight(code: string, language: Language, longest = CODE_MAX): Promise<Coloured | null> {
  if (code.length > longest) return Promise.resolve(null)
  const key = `${language}\n${code}`
  const known = kept.get(key)
  if (known !== undefined) return known
  const coloured = new Promise<Coloured | null>((resolve) => {
    const id = (asked += 1)
    waiting.set(id, resolve)
    if (waiting.size === 1) heard()
    workerOf().postMessage({ id, code, language } satisfies Question)
  })
  if (code.length > CODE_MAX) return coloured
  putNewest(kept, key, coloured, KEPT_MAX)
  return coloured
}
