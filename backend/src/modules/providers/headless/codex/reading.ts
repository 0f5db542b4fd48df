/** Reads what one process of `codex exec --json` prints, which has one turn. */
import type { RunHappening } from '@slipway/protocol'
import type { Reading, ReadOptions, Verdict } from '../headless.ts'
import { sessionIdIn } from '../parts/ids.ts'
import { countIn, type Fields, fieldsIn, objectOf, textIn } from '../parts/json.ts'
import { FATAL, failureOf } from './failure.ts'
import type { Stage } from './items.ts'
import { CodexTurn } from './turn.ts'

/** The first words of the message that tells of another attempt. */
const RETRY = /^Reconnecting\.\.\./

/** Codex prints no deltas: each text is a whole message. */
export class CodexReading implements Reading {
  readonly #options: Pick<ReadOptions, 'resume' | 'totalsBefore'>
  readonly #turn: CodexTurn
  #sessionId: string | null = null

  constructor(options: Pick<ReadOptions, 'resume' | 'totalsBefore'>) {
    this.#options = options
    this.#turn = new CodexTurn(options.totalsBefore)
  }

  line(text: string, now: number): readonly RunHappening[] {
    const event = objectOf(text)
    switch (event?.type) {
      case 'thread.started':
        this.#sessionId ??= sessionIdIn(event.thread_id)
        return [startedOf(this.#options)]
      case 'item.started':
        return this.#item('started', event)
      case 'item.updated':
        return this.#item('updated', event)
      case 'item.completed':
        return this.#item('completed', event)
      case 'error':
        return this.#error(textIn(event.message), now)
      case 'turn.failed':
        return this.#turn.fails(failureOf(textIn(fieldsIn(event.error).message) ?? 'The turn failed.', now))
      case 'turn.completed':
        return this.#completed(fieldsIn(event.usage))
      default:
        return []
    }
  }

  errorLine(text: string, now: number): readonly RunHappening[] {
    return FATAL.test(text) && !this.#turn.isOver ? this.#turn.error(failureOf(text.replace(FATAL, ''), now)) : []
  }

  verdict(): Verdict {
    return this.#turn.verdict(this.#sessionId)
  }

  #item(stage: Stage, event: Fields): readonly RunHappening[] {
    return this.#turn.item(stage, fieldsIn(event.item))
  }

  /** Only `turn.failed` is final, but a process that is killed may not print it. */
  #error(message: string | null, now: number): readonly RunHappening[] {
    if (message === null) return []
    return RETRY.test(message) ? this.#turn.retries(message) : this.#turn.error(failureOf(message, now))
  }

  #completed(usage: Fields): readonly RunHappening[] {
    this.#turn.counts({
      input: countIn(usage.input_tokens),
      output: countIn(usage.output_tokens),
      cacheRead: countIn(usage.cached_input_tokens),
      cacheWrite: countIn(usage.cache_write_input_tokens),
    })
    return this.#turn.completes()
  }
}

/** What the beginning of a thread is told as. */
export const startedOf = ({ resume }: Pick<ReadOptions, 'resume'>): RunHappening =>
  resume !== null
    ? { type: 'status', status: 'resumed', message: 'Codex has resumed its session.' }
    : { type: 'status', status: 'started', message: 'Codex has started.' }
