/** Reads a CLI that prints one JSON object a line, in the form of Claude Code or in one of its own. */
import type { RunHappening } from '@slipway/protocol'
import { ClaudeReading } from '../claude/reading.ts'
import type { Reading, Verdict } from '../headless.ts'
import { objectOf } from '../parts/json.ts'
import { NOTHING_SAID } from '../parts/verdict.ts'
import { happeningsOfObject } from './answer.ts'
import { isClaudes, verdictOfClaude } from './like-claude.ts'
import { noticeOf } from './text.ts'

export class StreamReading implements Reading {
  #claude: ClaudeReading | null = null
  #hasWorked = false
  #result: string | null = null
  #lastText: string | null = null

  line(text: string, now: number): readonly RunHappening[] {
    const object = objectOf(text)
    // Once a CLI has spoken like Claude, every line is read that way.
    if (object !== null && isClaudes(object)) this.#claude ??= new ClaudeReading({ resume: null })
    if (this.#claude !== null) return this.#claude.line(text, now)
    // A JSON object that is broken is no sentence.
    if (object === null) return text.startsWith('{') ? [] : noticeOf(text)
    this.#hasWorked = true
    const happenings = happeningsOfObject(object)
    for (const happening of happenings) {
      if (happening.type === 'result') this.#result = happening.text
      if (happening.type === 'text') this.#lastText = happening.text
    }
    return happenings
  }

  longLine(): readonly RunHappening[] {
    this.#hasWorked = true
    return []
  }

  errorLine(text: string): readonly RunHappening[] {
    return noticeOf(text)
  }

  verdict(): Verdict {
    if (this.#claude !== null) return verdictOfClaude(this.#claude, this.#hasWorked)
    return { ...NOTHING_SAID, hasWorked: this.#hasWorked, result: this.#result ?? this.#lastText }
  }
}
