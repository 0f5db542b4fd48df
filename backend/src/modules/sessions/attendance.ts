/** Which sessions' processes are accounted for, whatever kind of session they are. */
import type { Attended } from './claim.ts'

type Source = (agentId: string) => Iterable<Attended>

export class Attendance {
  readonly #sources: Source[] = []

  /** Adds a kind of session. */
  add(source: Source): void {
    this.#sources.push(source)
  }

  /** All of them in an agent. */
  of(agentId: string): Attended[] {
    return this.#sources.flatMap((source) => [...source(agentId)])
  }
}
