/** The people in a session, and which one of them types. */
import type { Participant } from '@slipway/protocol'
import type { Viewer } from '../session.ts'

/** Who somebody is in a session. */
export interface Person {
  readonly name: string
  /** Whose session it is: it waits for them, and ends when they disconnect. */
  readonly isHolder: boolean
  /** Whether control may be handed over to them. */
  readonly mayControl: boolean
}

/** How often questions for control are told, in milliseconds: everybody is told of each, and asking costs nothing. */
export const ASKING_MS = 250

interface Place {
  readonly id: string
  readonly person: Person
  asks: boolean
}

export class Company {
  readonly #places = new Map<Viewer, Place>()
  #controller: Viewer | null = null
  #lastId = 0
  /** When people were told last. */
  #lastTold = -Infinity
  #asking: NodeJS.Timeout | null = null
  /** Whoever is alone and always was need not be told. */
  #wasShared = false
  /** Told when somebody else has control. */
  readonly #controlled: (controller: Viewer) => void

  constructor(controlled: (controller: Viewer) => void) {
    this.#controlled = controlled
  }

  /** Whether whose session it is is in it. */
  get isAttended(): boolean {
    return this.#holder !== null
  }

  get size(): number {
    return this.#places.size
  }

  holds(viewer: Viewer): boolean {
    return this.#places.get(viewer)?.person.isHolder ?? false
  }

  controls(viewer: Viewer): boolean {
    return this.#controller === viewer
  }

  add(viewer: Viewer, person: Person): void {
    this.#places.set(viewer, { id: String((this.#lastId += 1)), person, asks: false })
    this.#wasShared ||= !person.isHolder
    // Their size is the program's, or they say so when they have seen what is there.
    if (person.isHolder) this.#controller ??= viewer
    this.#tell()
  }

  /** Whoever leaves while they have control leaves it to the one whose session it is. */
  remove(viewer: Viewer): void {
    if (!this.#places.delete(viewer)) return
    if (this.#controller === viewer) this.#hand(this.#holder)
    this.#tell()
  }

  ask(viewer: Viewer, asks: boolean): void {
    const place = this.#places.get(viewer)
    if (!place?.person.mayControl || place.asks === asks || this.controls(viewer)) return
    place.asks = asks
    const wait = this.#lastTold + ASKING_MS - performance.now()
    if (wait <= 0) this.#tell()
    else this.#asking ??= setTimeout(() => this.#tell(), wait).unref()
  }

  /** By whoever has control, or by the one whose session it is. What asks for the impossible changes nothing. */
  give(viewer: Viewer, to: string): void {
    if (!this.controls(viewer) && !this.holds(viewer)) return
    const [receiver, place] = [...this.#places].find(([, { id }]) => id === to) ?? []
    if (!receiver || !place?.person.mayControl || this.controls(receiver)) return
    place.asks = false
    this.#hand(receiver)
    this.#tell()
  }

  get #holder(): Viewer | null {
    return [...this.#places].find(([, { person }]) => person.isHolder)?.[0] ?? null
  }

  #hand(receiver: Viewer | null): void {
    this.#controller = receiver
    if (receiver) this.#controlled(receiver)
  }

  #tell(): void {
    this.#lastTold = performance.now()
    if (this.#asking) clearTimeout(this.#asking)
    this.#asking = null
    if (!this.#wasShared) return
    const people = [...this.#places].map(([viewer, { id, person, asks }]): Participant => {
      const { name, isHolder, mayControl } = person
      return { id, name, isHolder, mayControl, hasControl: this.controls(viewer), asks }
    })
    for (const [viewer, { id }] of this.#places) viewer.company(people, id)
  }
}
