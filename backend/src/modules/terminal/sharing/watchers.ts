/** Everybody who came by a link and is still there, and the way to them when what let them in is taken. */
import { CloseCode, WATCHERS_MAX } from '@slipway/protocol'
import type { Clock } from '../../../lib/clock.ts'
import { Signal, type Since } from '../../../lib/emitter.ts'
import type { Caller } from '../../identity/caller.ts'
import type { Revocation } from '../../identity/revocations.ts'
import type { Ending } from '../ending.ts'
import type { Missed, Slot } from '../registry.ts'
import type { Session } from '../session.ts'
import type { Viewer } from '../viewer.ts'
import type { LinkRow } from './links.ts'

const over = (message: string): Ending => ({ reason: 'access_revoked', message, code: CloseCode.FORBIDDEN })
export const linkRevoked = over('The link to this terminal was revoked.')
export const linkExpired = over('The link to this terminal has expired.')

/** Somebody who comes by a link. Null: they have not said who they are. */
export interface Watcher {
  readonly slot: Slot & { readonly session: Session }
  readonly link: LinkRow
  readonly caller: Caller | null
  /** Null: they are a stranger to the agent. */
  readonly relation: Slot['relation'] | null
  readonly viewer: Viewer
}

/** Somebody's place among those who watch. */
export interface Place {
  /** "Guest 2". */
  readonly guest: number
  /** Why they have to leave, or must not come in. Look at it right before they are attached: until then nobody can tell them. */
  readonly ended: Ending | null
  left(): void
}

interface Entry extends Place {
  readonly watcher: Watcher
  ended: Ending | null
}

/** What let somebody in and was taken. */
interface Lost {
  readonly matches: (watcher: Watcher) => boolean
  readonly ending: Ending
}

interface Signals {
  readonly endings: Pick<Signal<Missed>, 'on'>
  readonly revocations: Pick<Signal<Revocation>, 'on'>
}

export class Watchers {
  readonly #clock: Clock
  readonly #entries = new Set<Entry>()
  readonly #lost = new Signal<Lost>()

  constructor({ endings, revocations }: Signals, clock: Clock) {
    this.#clock = clock
    this.#lost.on(({ matches, ending }) => {
      for (const entry of [...this.#entries]) if (matches(entry.watcher)) this.#end(entry, ending)
    })
    // A right of their own. What is taken from the one whose session it is ends that, and them with it.
    endings.on(({ matches, ending }) =>
      this.#lost.emit({
        matches: ({ slot: { row }, caller, relation }) =>
          caller !== null && matches({ caller, row, relation, personal: false }),
        ending,
      }),
    )
    // What somebody gave who may not give it any more.
    revocations.on((revocation) => {
      if (revocation.kind !== 'user') return
      this.#lost.emit({ matches: ({ link }) => link.createdById === revocation.userId, ending: linkRevoked })
    })
  }

  /** Call before anything is asked about somebody who comes. */
  arrive(): Since<Lost> {
    return this.#lost.since()
  }

  /** Null where there are as many as there may be. */
  admit(watcher: Watcher, arrival: Since<Lost>): Place | null {
    const there = [...this.#entries].filter(({ watcher: { slot } }) => slot.sessionId === watcher.slot.sessionId)
    if (there.length >= WATCHERS_MAX) return null
    const guest = watcher.caller ? 0 : Math.max(0, ...there.map((entry) => entry.guest)) + 1
    const timeLeft = watcher.link.expiresAt.getTime() - this.#clock.now()
    const expiry = setTimeout(() => this.#end(entry, linkExpired), timeLeft).unref()
    const ended = arrival.settle(({ matches }) => matches(watcher))?.ending ?? null
    const left = (): void => {
      clearTimeout(expiry)
      this.#entries.delete(entry)
    }
    const entry: Entry = { watcher, guest, ended, left }
    this.#entries.add(entry)
    return entry
  }

  /** Nobody stays who came by it. */
  revoked(linkId: string): void {
    this.#lost.emit({ matches: ({ link }) => link.id === linkId, ending: linkRevoked })
  }

  /** Those who watch and have said who they are. */
  callers(): Caller[] {
    return [...this.#entries].flatMap(({ watcher: { caller } }) => caller ?? [])
  }

  /** Who is on the way to their seat finds it out there. */
  #end(entry: Entry, ending: Ending): void {
    entry.ended ??= ending
    const { slot, viewer } = entry.watcher
    slot.session.dismiss(ending, (one) => one === viewer)
  }
}
