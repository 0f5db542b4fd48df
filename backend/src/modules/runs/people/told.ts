/** The events about questions that programs of a run ask on their own, such as `slipway ask`. */
import { ASKS_KEPT_PER_AGENT, ASKS_OPEN_PER_AGENT, type DialogState, type RunHappening } from '@slipway/protocol'
import type { DialogRow } from '../../dialogs/repository.ts'
import type { Entry } from '../transcript/entry.ts'

/** Most questions of programs that are stored of an agent, and so of a run. */
export const PROGRAM_QUESTIONS_MAX = ASKS_KEPT_PER_AGENT + ASKS_OPEN_PER_AGENT
/** Each question has two events. */
const TOLD_MAX = 2 * PROGRAM_QUESTIONS_MAX

/** What became of a question, as a sentence of a task's events. */
const SENTENCES: Readonly<Record<Exclude<DialogState, 'open'>, string>> = {
  answered: 'Answered.',
  cancelled: 'Cancelled.',
  expired: 'Not answered in time.',
  withdrawn: 'Withdrawn.',
}

/** A question was asked. `requestId` is what its program calls it. */
export const questionOf = (requestId: string, title: string): RunHappening => ({
  ...{ type: 'question', requestId, callId: null, title },
})

/** It was closed. Null while it is open. */
export const answerOf = (
  requestId: string,
  { state, closedBy: by }: Pick<DialogRow, 'state' | 'closedBy'>,
): RunHappening | null => {
  if (state === 'open') return null
  const decision = state === 'answered' ? 'answer' : 'cancel'
  return { type: 'answer', requestId, decision, text: SENTENCES[state], by }
}

/** All events about these questions, in the order in which they happened. */
export const eventsOf = (rows: readonly DialogRow[]): RunHappening[] =>
  rows
    .flatMap((row) => {
      if (row.askId === null) return []
      const answer = answerOf(row.askId, row)
      const asked = { at: row.openedAt, event: questionOf(row.askId, row.title) }
      return answer && row.closedAt ? [asked, { at: row.closedAt, event: answer }] : [asked]
    })
    .sort((one, other) => one.at.getTime() - other.at.getTime())
    .map(({ event }) => event)

/**
 * Which questions and answers the transcript of a run has already. A backend that takes a run up adds what is missing: what
 * happened while none followed it.
 */
export class Told {
  /** The oldest first. Beyond {@link TOLD_MAX} they are forgotten: the database has so many at most. */
  readonly #keys = new Set<string>()

  /** Notes what the entries tell, and passes them on. */
  async *noting(entries: AsyncIterable<Entry>): AsyncGenerator<Entry> {
    for await (const entry of entries) {
      for (const event of entry.events) this.isNew(event)
      yield entry
    }
  }

  /** Notes the event. False if it was told before; always true for events about anything else. */
  isNew(event: RunHappening): boolean {
    if (event.type !== 'question' && event.type !== 'answer') return true
    const key = `${event.type} ${event.requestId}`
    if (this.#keys.has(key)) return false
    this.#keys.add(key)
    const [oldest] = this.#keys
    if (this.#keys.size > TOLD_MAX && oldest !== undefined) this.#keys.delete(oldest)
    return true
  }
}
