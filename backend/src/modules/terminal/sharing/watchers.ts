/** Everybody who came by a link and is still there, and the way to them when what let them in is taken. */
import { CloseCode, WATCHERS_MAX } from '@slipway/protocol'
import type { Clock } from '../../../lib/clock.ts'
import type { Signal } from '../../../lib/emitter.ts'
import type { Caller } from '../../identity/caller.ts'
import type { Revocation } from '../../identity/revocations.ts'
import type { Ending } from '../ending.ts'
import type { Arrival, Missed, Slot } from '../registry.ts'
import type { Session, Viewer } from '../session.ts'
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

interface Entry {
  readonly watcher: Watcher
  readonly expiry: NodeJS.Timeout
  /** "Guest 2". */
  readonly guest: number
  ended: Ending | null
}

interface Signals {
  readonly endings: Signal<Missed>
  readonly revocations: Pick<Signal<Revocation>, 'on'>
}

export class Watchers {
  readonly #clock: Clock
  readonly #entries = new Set<Entry>()

  constructor({ endings, revocations }: Signals, clock: Clock) {
    this.#clock = clock
    endings.on((missed) => this.#endWhere((watcher) => concernsThem(missed, watcher), missed.ending))
    // What somebody gave who may not give it any more.
    revocations.on((revocation) => {
      if (revocation.kind !== 'user') return
      this.#endWhere(({ link }) => link.createdById === revocation.userId, linkRevoked)
    })
  }

  /** Null where there are as many as there may be. Else the number of a guest, why they must leave again, and a way to. */
  admit(watcher: Watcher, arrival: Arrival): { guest: number; ended: Ending | null; left: () => void } | null {
    const there = [...this.#entries].filter(({ watcher: { slot } }) => slot.sessionId === watcher.slot.sessionId)
    if (there.length >= WATCHERS_MAX) return null
    const guest = Math.max(0, ...there.map((entry) => entry.guest)) + 1
    const ended = arrival.missed.find((missed) => concernsThem(missed, watcher))?.ending ?? null
    const expiry = setTimeout(
      () => this.#end(entry, linkExpired),
      watcher.link.expiresAt.getTime() - this.#clock.now(),
    ).unref()
    const entry: Entry = { watcher, expiry, guest: watcher.caller ? 0 : guest, ended }
    this.#entries.add(entry)
    const left = (): void => {
      clearTimeout(expiry)
      this.#entries.delete(entry)
    }
    return { guest, ended, left }
  }

  /** Nobody stays who came by it. */
  revoked(linkId: string): void {
    this.#endWhere(({ link }) => link.id === linkId, linkRevoked)
  }

  #endWhere(matches: (watcher: Watcher) => boolean, ending: Ending): void {
    for (const entry of [...this.#entries]) if (matches(entry.watcher)) this.#end(entry, ending)
  }

  #end({ watcher: { slot, viewer } }: Entry, ending: Ending): void {
    slot.session.dismiss(ending, (one) => one === viewer)
  }
}

/** A right of their own was taken. What is taken from the one whose session it is ends that, and them with it. */
const concernsThem = ({ matches }: Missed, { slot, caller, relation }: Watcher): boolean =>
  caller !== null && relation !== null && matches({ ...slot, caller, relation, personal: false })
