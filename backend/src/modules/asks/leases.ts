/** For which open questions of programs a request waits. One without a request is withdrawn after a while. */

/** A question, by the id that the agent's program has chosen. */
export interface Asked {
  readonly agentId: string
  readonly askId: string
}

interface Lease extends Asked {
  /** Requests that wait for its answer. */
  waiting: number
  timer: NodeJS.Timeout | null
}

const keyOf = ({ agentId, askId }: Asked): string => `${agentId} ${askId}`

export class Leases {
  readonly #over: (asked: Asked) => void
  readonly #leases = new Map<string, Lease>()

  /** `over` is called once for a question that nothing waits for any more. */
  constructor(over: (asked: Asked) => void) {
    this.#over = over
  }

  has(asked: Asked): boolean {
    return this.#leases.has(keyOf(asked))
  }

  /** How many questions of an agent there are. */
  count(agentId: string): number {
    return [...this.#leases.values()].filter((lease) => lease.agentId === agentId).length
  }

  /** A new question. It may be without a request that waits for so long, in milliseconds. */
  open({ agentId, askId }: Asked, graceMs: number): void {
    const lease: Lease = { agentId, askId, waiting: 0, timer: null }
    this.#leases.set(keyOf(lease), lease)
    this.#expireAfter(lease, graceMs)
  }

  /** A request waits from now on. Call the answer once it does not: the question may then be without one for `graceMs`. */
  wait(asked: Asked): (graceMs: number) => void {
    const lease = this.#leases.get(keyOf(asked))
    if (!lease) return () => undefined
    lease.waiting += 1
    if (lease.timer) clearTimeout(lease.timer)
    return (graceMs) => {
      lease.waiting -= 1
      if (lease.waiting === 0 && this.#leases.get(keyOf(lease)) === lease) this.#expireAfter(lease, graceMs)
    }
  }

  /** The question could not be closed: it is over again after so long, in milliseconds, unless a request waits for it. */
  retry(asked: Asked, graceMs: number): void {
    const lease = this.#leases.get(keyOf(asked))
    if (lease?.waiting === 0) this.#expireAfter(lease, graceMs)
  }

  /** The question is closed. */
  close(asked: Asked): void {
    const timer = this.#leases.get(keyOf(asked))?.timer
    if (timer) clearTimeout(timer)
    this.#leases.delete(keyOf(asked))
  }

  /** This backend leaves all of them to the next one. */
  stop(): void {
    for (const lease of [...this.#leases.values()]) this.close(lease)
  }

  #expireAfter(lease: Lease, graceMs: number): void {
    if (lease.timer) clearTimeout(lease.timer)
    lease.timer = setTimeout(() => this.#over(lease), graceMs)
    lease.timer.unref()
  }
}
