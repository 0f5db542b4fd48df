/** Reads a CLI that prints one JSON document with its answer. What it prints besides is progress. */
import type { RunHappening } from '@slipway/protocol'
import { ClaudeReading } from '../claude/reading.ts'
import type { Reading, Verdict } from '../headless.ts'
import { bounded, type Fields, objectOf } from '../parts/json.ts'
import { answerIn } from './answer.ts'
import { DocumentLines } from './document.ts'
import { isClaudes, verdictOfClaude } from './like-claude.ts'
import { noticeOf, TextReading } from './text.ts'

export class JsonReading implements Reading {
  /** Everything that was printed, for a CLI without a document. */
  readonly #all = new TextReading()
  readonly #lines = new DocumentLines()
  #answer: string | null = null
  #claude: ClaudeReading | null = null

  line(text: string, now: number): readonly RunHappening[] {
    const happenings = this.#all.line(text)
    if (!this.#lines.isOpen && !text.startsWith('{')) return happenings
    const document = this.#lines.add(text)
    if (document === null) return []
    const object = objectOf(document)
    return object === null ? happenings : this.#document(object, document, now)
  }

  longLine(text: string): readonly RunHappening[] {
    return this.#all.line(text)
  }

  errorLine(text: string): readonly RunHappening[] {
    return noticeOf(text)
  }

  verdict(): Verdict {
    const all = this.#all.verdict()
    if (this.#claude !== null) return verdictOfClaude(this.#claude, all.hasWorked)
    return { ...all, result: this.#answer ?? all.result }
  }

  /** The last document counts. */
  #document(object: Fields, document: string, now: number): readonly RunHappening[] {
    if (isClaudes(object)) {
      this.#claude = new ClaudeReading({ resume: null })
      return this.#claude.line(document, now)
    }
    this.#claude = null
    this.#answer = answerIn(object) ?? bounded(document)
    return [{ type: 'result', text: this.#answer, isError: object.is_error === true }]
  }
}
