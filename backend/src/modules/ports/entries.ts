/** Who may use the ports of an agent in a browser: tickets that work once, and what a browser has after that. */
import { HOUR_MS, MINUTE_MS, type Clock } from '../../lib/time/clock.ts'
import type { Signal } from '../../lib/emitter.ts'
import { AppError } from '../../lib/errors.ts'
import { newSecret, sha256 } from '../../lib/secrets/secrets.ts'
import { type Arrival, type Holding, type Loss, refusalOf } from '../access/loss.ts'
import { Open } from '../access/open.ts'
import type { Found } from '../agents/service.ts'
import type { Caller } from '../identity/caller.ts'

/** How long a ticket is valid, in milliseconds: a browser opens it at once. */
export const TICKET_MS = MINUTE_MS
/** How long a browser may use a port after that, in milliseconds: a working day. */
export const ENTRY_MS = 12 * HOUR_MS
/** Most tickets and browsers of one user, and of one link. Beyond it, the oldest ends. */
const ENTRIES_PER_USER = 100
const ENTRIES_PER_LINK = 50

/** The link by which a browser is let in. */
export interface ByLink {
  readonly id: string
  /** In milliseconds since 1970. */
  readonly expiresAt: number
}

/** A browser's right to one port of an agent. */
export interface Entry extends Holding {
  readonly caller: Caller
  readonly row: { readonly id: string }
  readonly port: number
  /** The host name, without the server's port. */
  readonly host: string
  /** Answers and WebSockets that end with it. */
  readonly held: Set<{ destroy(): unknown }>
  /** Null: it is let in as its user. Otherwise `caller` is the user who made the link. */
  readonly link: ByLink | null
}

interface Kept {
  readonly entry: Entry
  readonly path: string | null
  readonly expiresAt: number
  /** Ends it. */
  readonly timer: NodeJS.Timeout
}

interface Deps {
  readonly losses: Pick<Signal<Loss>, 'on' | 'since'>
  readonly clock: Clock
}

export class Entries {
  readonly #clock: Clock
  readonly #open: Open<Entry>
  /** By the hash of its secret. A ticket has a path. */
  readonly #kept = new Map<string, Kept>()

  constructor({ losses, clock }: Deps) {
    this.#clock = clock
    this.#open = new Open(losses)
  }

  /** From now on losses are kept for {@link admit}. */
  arrive(): Arrival {
    return this.#open.arrive()
  }

  /** A ticket for one browser. Throws the refusal for a caller who has lost the right meanwhile. */
  admit(
    { caller, row, relation }: Found,
    { port, host, path }: { readonly port: number; readonly host: string; readonly path: string },
    arrival: Arrival,
    link: ByLink | null = null,
  ) {
    const entry: Entry = { caller, row: { id: row.id }, relation, port, host, held: new Set(), link }
    const lost = this.#open.enter(entry, () => this.#end(entry), arrival)
    if (lost) throw refusalOf(lost)
    const others = [...this.#kept.values()].filter(({ entry: other }) =>
      link === null ? other.link === null && other.caller.userId === caller.userId : other.link?.id === link.id,
    )
    if (others.length >= (link === null ? ENTRIES_PER_USER : ENTRIES_PER_LINK)) this.#end(others[0]!.entry)
    return this.#keep(entry, path, TICKET_MS)
  }

  /** Ends all browsers that a link let in. */
  endLink(id: string): void {
    for (const entry of this.#open.all()) if (entry.link?.id === id) this.#end(entry)
  }

  /** Exchanges a ticket for the secret of a browser. Null: it is unknown, was used, or its time is over. */
  enter(ticket: string, host: string): { readonly secret: string; readonly path: string; readonly ms: number } | null {
    const hash = sha256(ticket)
    const kept = this.#kept.get(hash)
    if (!kept || kept.path === null || kept.entry.host !== host || kept.expiresAt <= this.#clock.now()) return null
    this.#forget(hash, kept)
    const { link } = kept.entry
    const ms = link === null ? ENTRY_MS : Math.min(ENTRY_MS, link.expiresAt - this.#clock.now())
    return { secret: this.#keep(kept.entry, null, ms).secret, path: kept.path, ms }
  }

  /** What the browser with this secret may use at that host; null: nothing. */
  of(secret: string, host: string): Entry | null {
    const kept = this.#kept.get(sha256(secret))
    const isValid = kept?.path === null && kept.entry.host === host && kept.expiresAt > this.#clock.now()
    return isValid ? kept.entry : null
  }

  callers(): Caller[] {
    return this.#open.callers()
  }

  /** Ends all, with their connections. */
  stop(): void {
    for (const entry of this.#open.all()) this.#end(entry)
  }

  #keep(entry: Entry, path: string | null, ms: number): { readonly secret: string; readonly expiresAt: Date } {
    const secret = newSecret()
    const expiresAt = this.#clock.now() + ms
    const timer = setTimeout(() => this.#end(entry), ms)
    timer.unref()
    this.#kept.set(sha256(secret), { entry, path, expiresAt, timer })
    return { secret, expiresAt: new Date(expiresAt) }
  }

  #end(entry: Entry): void {
    this.#open.leave(entry)
    for (const [hash, kept] of this.#kept) if (kept.entry === entry) this.#forget(hash, kept)
    for (const one of entry.held) one.destroy()
  }

  #forget(hash: string, { timer }: Kept): void {
    clearTimeout(timer)
    this.#kept.delete(hash)
  }
}

/** The refusal where browsers of other machines could not resolve the host names of ports. */
export const noDomain = (): AppError =>
  new AppError(
    'WRONG_STATE',
    'Ports have no address that other machines reach. The operator sets SLIPWAY_PORTS_DOMAIN to a domain whose names all lead to this server.',
  )
