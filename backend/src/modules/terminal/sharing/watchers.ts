/** The watchers of all sessions. Each one has to leave when they or the link lose the right. */
import { CloseCode, WATCHERS_MAX } from '@slipway/protocol'
import type { Clock } from '../../../lib/time/clock.ts'
import { Signal, type Since } from '../../../lib/emitter.ts'
import type { Holding, Loss } from '../../access/loss.ts'
import { Open } from '../../access/open.ts'
import type { Caller } from '../../identity/caller.ts'
import { type Ending, endingOfLoss } from '../../sessions/ending.ts'
import type { Slot } from '../registry.ts'
import type { Session } from '../session/session.ts'
import type { Viewer } from '../session/viewers/viewer.ts'
import type { LinkRow } from './repository.ts'

const over = (message: string): Ending => ({ reason: 'access_revoked', message, code: CloseCode.FORBIDDEN })
export const linkRevoked = over('The link to this terminal was revoked.')
export const linkExpired = over('The link to this terminal has expired.')

/** A guest or a user who watches: by a link, or by access to the agent. */
export interface Watcher extends Holding {
  readonly slot: Slot & { readonly session: Session }
  /** Null: their access to the agent lets them watch. */
  readonly link: LinkRow | null
  readonly viewer: Viewer
}

/** Lets a guest or a user watch. */
export interface Admission {
  /** The number in "Guest 2"; 0: a user. */
  readonly guest: number
  /**
   * Why they have to leave, or must not come in. Check it right before you attach them: earlier losses cannot reach
   * them.
   */
  readonly ended: Ending | null
  left(): void
}

interface Entry extends Watcher, Admission {
  ended: Ending | null
}

/** A right that was lost: that of the watcher, or that of the link. */
interface WatcherLoss {
  from(watcher: Watcher): boolean
  readonly ending: Ending
}

export class Watchers {
  readonly #clock: Clock
  readonly #losses = new Signal<WatcherLoss>()
  readonly #open = new Open<Watcher, WatcherLoss>(this.#losses)
  readonly #entries = new Map<Watcher, Entry>()

  constructor(losses: Pick<Signal<Loss>, 'on'>, clock: Clock) {
    this.#clock = clock
    losses.on((loss) => {
      // The watcher's own right. If the session's user loses theirs, the session ends, and with it all watching.
      this.#losses.emit({ from: (watcher) => loss.from(watcher), ending: endingOfLoss(loss) })
      // The right of a link whose creator lost theirs.
      if (loss.kind === 'revoked' && loss.revocation.kind === 'user') {
        const { userId } = loss.revocation
        this.#losses.emit({ from: ({ link }) => link?.createdById === userId, ending: linkRevoked })
      }
    })
  }

  /** Call it before you look up anything about a caller; see {@link Open}. */
  arrive(): Since<WatcherLoss> {
    return this.#open.arrive()
  }

  /** Null if {@link WATCHERS_MAX} watch this session already. */
  admit(watcher: Watcher, arrival: Since<WatcherLoss>): Admission | null {
    const there = [...this.#entries.values()].filter(({ slot }) => slot.sessionId === watcher.slot.sessionId)
    if (there.length >= WATCHERS_MAX) return null
    const guest = watcher.caller ? 0 : Math.max(0, ...there.map((entry) => entry.guest)) + 1
    const expiry = watcher.link && this.#expiryOf(watcher.link, () => this.#end(entry, linkExpired))
    const left = (): void => {
      if (expiry) clearTimeout(expiry)
      this.#open.leave(watcher)
      this.#entries.delete(watcher)
    }
    const entry: Entry = { ...watcher, guest, ended: null, left }
    entry.ended = this.#open.enter(watcher, ({ ending }) => this.#end(entry, ending), arrival)?.ending ?? null
    this.#entries.set(watcher, entry)
    return entry
  }

  /** All watchers who came by this link leave. */
  revoked(linkId: string): void {
    this.#losses.emit({ from: ({ link }) => link?.id === linkId, ending: linkRevoked })
  }

  #expiryOf({ expiresAt }: LinkRow, expired: () => void): NodeJS.Timeout {
    return setTimeout(expired, expiresAt.getTime() - this.#clock.now()).unref()
  }

  /** The watchers who have signed in. */
  callers(): Caller[] {
    return this.#open.callers()
  }

  /** A watcher who is not attached yet finds the ending in {@link Admission.ended}. */
  #end(entry: Entry, ending: Ending): void {
    entry.ended ??= ending
    entry.slot.session.dismiss(ending, (one) => one === entry.viewer)
  }
}
