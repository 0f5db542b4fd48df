/** The people in a session, and which one of them types. */
import type { Participant } from '@slipway/protocol'
import { AppError } from '../../../lib/errors.ts'
import type { Viewer } from '../session/viewers/viewer.ts'

/** A person in a session. */
export interface Person {
  readonly name: string
  /** Whether they are the session's user: it waits for them, and ends when they disconnect. */
  readonly isHolder: boolean
  /** Whether they may get control. */
  readonly mayControl: boolean
  /** Records a change of control that they make. Rejects if it cannot be recorded. */
  readonly handsOver: (move: ControlMove) => Promise<void>
}

/** Control goes to another person, or the session's user takes it back from one; null: no user had control. */
export type ControlMove = { readonly to: string } | { readonly takenBackFrom: string | null }

/**
 * Shortest time between two lists of people that requests and refusals cause, in milliseconds. Each goes to everybody,
 * and a request costs its sender nothing.
 */
export const ASKING_MS = 250

interface Member {
  readonly id: string
  readonly person: Person
  asks: boolean
  /** Their handover of control is being recorded. */
  gives: boolean
  /** Why control did not change. They are told once. */
  refusal: string | undefined
}

/** The reason if control did not change because of an error of the server. */
const NOT_RECORDED = 'Control could not be handed over just now. Try again in a moment.'

export class Company {
  readonly #members = new Map<Viewer, Member>()
  #controller: Viewer | null = null
  #lastId = 0
  /** When the list of people was last sent. */
  #lastTold = -Infinity
  #asking: NodeJS.Timeout | null = null
  /** A user who has always been alone gets no list of people. */
  #wasShared: boolean
  /** Called when another person has got control. */
  readonly #controlled: (controller: Viewer) => void

  /** `wasShared`: whether others may have been in the session already. */
  constructor(wasShared: boolean, controlled: (controller: Viewer) => void) {
    this.#wasShared = wasShared
    this.#controlled = controlled
  }

  /** Whether the session's user is in it. */
  get isAttended(): boolean {
    return this.#holder !== null
  }

  get size(): number {
    return this.#members.size
  }

  holds(viewer: Viewer): boolean {
    return this.#members.get(viewer)?.person.isHolder ?? false
  }

  controls(viewer: Viewer): boolean {
    return this.#controller === viewer
  }

  add(viewer: Viewer, person: Person): void {
    this.#members.set(viewer, {
      id: String((this.#lastId += 1)),
      person,
      asks: false,
      gives: false,
      refusal: undefined,
    })
    this.#wasShared ||= !person.isHolder
    // The program has their size already, or they ask for theirs once they have the screen.
    if (person.isHolder) this.#controller ??= viewer
    this.#tell()
  }

  /** If a person leaves who has control, it goes to the session's user. */
  remove(viewer: Viewer): void {
    if (!this.#members.delete(viewer)) return
    if (this.#controller === viewer) this.#hand(this.#holder)
    this.#tell()
  }

  ask(viewer: Viewer, asks: boolean): void {
    const member = this.#members.get(viewer)
    if (!member?.person.mayControl || member.asks === asks || this.controls(viewer)) return
    member.asks = asks
    this.#tellSoon()
  }

  /**
   * The person with control declines the request of the person with that id, who may ask again. An impossible call
   * changes nothing.
   */
  decline(viewer: Viewer, to: string): void {
    const name = this.#members.get(viewer)?.person.name
    const asking = [...this.#members.values()].find(({ id, asks }) => id === to && asks)
    if (name === undefined || !asking || !this.controls(viewer)) return
    asking.asks = false
    asking.refusal = `${name} said: not now.`
    this.#tellSoon()
  }

  /**
   * The person with control, or the session's user, hands control to the person with that id, once this is recorded. If
   * it cannot be recorded, the giver is told. An impossible call changes nothing. Never rejects.
   */
  async give(viewer: Viewer, to: string): Promise<void> {
    const giver = this.#members.get(viewer)
    const receiver = this.#receiver(viewer, to)
    if (!giver || giver.gives || !receiver) return
    giver.gives = true
    const refusal = await giver.person
      .handsOver(this.#moveOf(viewer, receiver))
      .then(() => undefined)
      .catch((error: unknown) => (error instanceof AppError ? error.message : NOT_RECORDED))
    giver.gives = false
    if (refusal !== undefined) {
      giver.refusal = refusal
      return this.#tell()
    }
    // Either may have left meanwhile, or may have lost the right.
    const still = this.#receiver(viewer, to)
    if (!still) return
    still.member.asks = false
    this.#hand(still.viewer)
    this.#tell()
  }

  #moveOf(giver: Viewer, receiver: { readonly viewer: Viewer; readonly member: Member }): ControlMove {
    if (giver !== receiver.viewer) return { to: receiver.member.person.name }
    const controller = this.#controller && this.#members.get(this.#controller)
    return { takenBackFrom: controller?.person.name ?? null }
  }

  /** The person who would get control; null: this change is impossible. */
  #receiver(giver: Viewer, to: string): { viewer: Viewer; member: Member } | null {
    if (!this.controls(giver) && !this.holds(giver)) return null
    const [viewer, member] = [...this.#members].find(([, { id }]) => id === to) ?? []
    return viewer && member?.person.mayControl && !this.controls(viewer) ? { viewer, member } : null
  }

  get #holder(): Viewer | null {
    return [...this.#members].find(([, { person }]) => person.isHolder)?.[0] ?? null
  }

  #hand(receiver: Viewer | null): void {
    this.#controller = receiver
    if (receiver) this.#controlled(receiver)
  }

  #tellSoon(): void {
    const wait = this.#lastTold + ASKING_MS - performance.now()
    if (wait <= 0) this.#tell()
    else this.#asking ??= setTimeout(() => this.#tell(), wait).unref()
  }

  #tell(): void {
    this.#lastTold = performance.now()
    if (this.#asking) clearTimeout(this.#asking)
    this.#asking = null
    if (!this.#wasShared) return
    const people = [...this.#members].map(([viewer, { id, person, asks }]): Participant => {
      const { name, isHolder, mayControl } = person
      return { id, name, isHolder, mayControl, hasControl: this.controls(viewer), asks }
    })
    for (const [viewer, member] of this.#members) {
      viewer.company(people, member.id, member.refusal)
      member.refusal = undefined
    }
  }
}
