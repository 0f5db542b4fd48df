/** Reads a CLI that prints plain text: each line is an event, and the end of the text is its answer. */
import { stripVTControlCharacters } from 'node:util'
import { EVENT_TEXT_MAX, type RunHappening } from '@slipway/protocol'
import type { Reading, Verdict } from '../headless.ts'
import { said } from '../parts/happenings.ts'
import { bounded } from '../parts/json.ts'
import { NOTHING_SAID } from '../parts/verdict.ts'
import { Tail } from './tail.ts'

/** Without colours and without what no event holds. */
const plain = (text: string): string => stripVTControlCharacters(text.slice(0, 2 * EVENT_TEXT_MAX))

/** A line of standard error, or one that is no part of the answer. */
export const noticeOf = (text: string): RunHappening[] => {
  const message = bounded(plain(text).trim())
  return message === '' ? [] : [{ type: 'status', status: 'notice', message }]
}

export class TextReading implements Reading {
  readonly #tail = new Tail()
  #hasWorked = false

  line(text: string): readonly RunHappening[] {
    const line = plain(text).trimEnd()
    this.#tail.add(line)
    const happenings = said('text', line)
    if (happenings.length > 0) this.#hasWorked = true
    return happenings
  }

  longLine(text: string): readonly RunHappening[] {
    return this.line(text)
  }

  errorLine(text: string): readonly RunHappening[] {
    return noticeOf(text)
  }

  verdict(): Verdict {
    return { ...NOTHING_SAID, result: this.#tail.text, hasWorked: this.#hasWorked }
  }
}
