/** Which questions and terminals the users have in sight, as their pages say. */
import { LookedAt } from '@slipway/protocol'
import Value from 'typebox/value'
import type { Correspondent } from '../agents/news/topic.ts'

/** A page that is open, with what it shows. */
interface Sight {
  readonly userId: string
  ids: ReadonlySet<string>
}

export class Looking {
  readonly #pages = new Set<Sight>()

  /** Whether one of the user's pages shows the question, or the terminal of this session, to them now. */
  looksAt(userId: string, id: string): boolean {
    for (const page of this.#pages) if (page.userId === userId && page.ids.has(id)) return true
    return false
  }

  /** Reads what pages say. A program has no eyes: what the socket of an API token says counts for nothing. */
  readonly correspondent: Correspondent = {
    open: ({ caller: { userId, via } }) => {
      const sight: Sight = { userId, ids: new Set() }
      if (via.kind === 'sign_in') this.#pages.add(sight)
      return {
        receive: (message) => {
          if (Value.Check(LookedAt, message)) sight.ids = new Set(message.ids)
        },
        close: () => void this.#pages.delete(sight),
      }
    },
  }
}
