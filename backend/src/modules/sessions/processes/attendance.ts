/** The sessions that account for processes in a container, across all kinds of session. */
import type { Attended } from '../claim.ts'

type Source = (agentId: string) => Iterable<Attended>

export class Attendance {
  readonly #sources: Source[] = []

  /** Adds a kind of session. */
  add(source: Source): void {
    this.#sources.push(source)
  }

  /** All sessions of all kinds in an agent. */
  of(agentId: string): Attended[] {
    return this.#sources.flatMap((source) => [...source(agentId)])
  }
}
