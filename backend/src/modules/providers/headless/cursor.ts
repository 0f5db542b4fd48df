/**
 * Cursor's agent without a terminal, which prints one JSON object a line. It is not in the image, so this follows its
 * documentation: https://cursor.com/docs/cli/reference/output-format
 *
 * An `assistant` event holds a whole message. If Cursor fails, it prints a sentence and no result. It has no arguments for
 * a number of turns and a budget, and it tells neither tokens nor cost.
 */
import type { RunHappening } from '@slipway/protocol'
import { failureInLine, failureOf } from './cursor/failure.ts'
import { callEnded, callStarted } from './cursor/tools.ts'
import type { Delta, Failure, Headless, HeadlessOptions, Reading, Verdict } from './headless.ts'
import { happeningOf } from './parts/failures.ts'
import { said } from './parts/happenings.ts'
import { sessionIdIn } from './parts/ids.ts'
import { bounded, type Fields, fieldsIn, listIn, objectOf, textIn } from './parts/json.ts'
import { isWork } from './parts/work.ts'

export const headless: Headless = {
  program: ({ prompt, model, resume, skips }) => ({
    argv: [
      ...['cursor-agent', '-p', '--output-format', 'stream-json'],
      // Without it Cursor only proposes changes, and runs no command. With it Cursor also trusts the folder.
      ...(skips ? ['--force'] : []),
      ...(model === null ? [] : ['--model', model]),
      ...(resume === null ? [] : ['--resume', resume]),
    ],
    env: { NO_COLOR: '1' },
    stdin: new TextEncoder().encode(prompt),
  }),
  read: (options) => new CursorReading(options),
  inPieces: ['thinking'],
  answersInterrupt: false,
}

class CursorReading implements Reading {
  readonly #isResumed: boolean
  readonly #folder: string
  #sessionId: string | null = null
  #answer: string | null = null
  #isOver = false
  #hasWorked = false
  #failure: Failure | null = null

  constructor({ resume, folder }: Pick<HeadlessOptions, 'resume' | 'folder'>) {
    this.#isResumed = resume !== null
    this.#folder = folder
  }

  line(text: string, now: number): readonly RunHappening[] {
    const event = objectOf(text)
    // A JSON object that was cut is no sentence.
    if (event === null) return text.startsWith('{') ? [] : this.errorLine(text, now)
    const happenings = this.#read(event, now)
    if (happenings.some(isWork)) this.#work()
    return happenings
  }

  errorLine(text: string, now: number): readonly RunHappening[] {
    const failure = this.#isOver ? null : failureInLine(text, now)
    return failure === null ? [] : this.#failed(failure)
  }

  delta(text: string): Delta | null {
    const event = text.startsWith('{"type":"thinking"') ? objectOf(text) : null
    const piece = event?.subtype === 'delta' ? textIn(event.text) : null
    if (piece === null) return null
    return { stream: 'thinking', text: piece, with: (other) => JSON.stringify({ ...event, text: other }) }
  }

  verdict(): Verdict {
    return {
      sessionId: this.#sessionId,
      result: this.#answer,
      isOver: this.#isOver,
      hasWorked: this.#hasWorked,
      failure: this.#failure,
      usage: [],
      costUsd: null,
    }
  }

  #read(event: Fields, now: number): readonly RunHappening[] {
    switch (event.type) {
      case 'system':
        return event.subtype === 'init' ? this.#start(event) : []
      case 'thinking':
        return event.subtype === 'delta' ? said('thinking', event.text) : []
      case 'assistant':
        return this.#say(listIn(fieldsIn(event.message).content))
      case 'tool_call':
        if (event.subtype === 'started') return callStarted(event)
        return event.subtype === 'completed' ? callEnded(event, this.#folder) : []
      case 'error':
        return this.#failed(failureOf(textIn(event.message) ?? 'Cursor reported an error.', now))
      case 'result':
        return this.#end(event, now)
      default:
        return []
    }
  }

  #start(event: Fields): readonly RunHappening[] {
    this.#sessionId = sessionIdIn(event.session_id) ?? this.#sessionId
    const model = textIn(event.model)
    const what = this.#isResumed ? 'Cursor has resumed its session' : 'Cursor has started'
    const message = bounded(model === null ? `${what}.` : `${what} with ${model}.`)
    return [{ type: 'status', status: this.#isResumed ? 'resumed' : 'started', message }]
  }

  #say(blocks: readonly Fields[]): readonly RunHappening[] {
    const text = blocks.map((block) => textIn(block.text) ?? '').join('')
    if (text === '') return []
    this.#answer = bounded(text)
    return said('text', text)
  }

  /** Cursor goes on, so an earlier sentence was no end. */
  #work(): void {
    this.#hasWorked = true
    if (!this.#isOver) this.#failure = null
  }

  #failed(failure: Failure): readonly RunHappening[] {
    if (this.#failure?.message === failure.message) return []
    this.#failure = failure
    return [happeningOf(failure)]
  }

  /** The text of the result is that of all messages, so the last message is the answer. */
  #end(event: Fields, now: number): readonly RunHappening[] {
    const isFirst = !this.#isOver
    this.#isOver = true
    this.#sessionId = sessionIdIn(event.session_id) ?? this.#sessionId
    const text = textIn(event.result) ?? ''
    const isError = event.is_error === true || event.subtype !== 'success'
    const failed = isError ? this.#failed(failureOf(text || 'Cursor has named no reason.', now)) : []
    if (!isError) {
      this.#failure = null
      this.#answer ??= text === '' ? null : bounded(text)
      if (this.#answer !== null) this.#hasWorked = true
    }
    const result = isError ? text : (this.#answer ?? '')
    return isFirst ? [...failed, { type: 'result', text: bounded(result), isError }] : failed
  }
}
