/** An agent's log and figures, read from the engine on request. */
import { Readable } from 'node:stream'
import type { AgentStats, AgentStatsHistory, LogEntry, StatsSpan } from '@slipway/protocol'
import { AppError } from '../../../lib/errors.ts'
import { asAppError } from '../../../runtime/app-error.ts'
import type { Arrival } from '../../access/loss.ts'
import { followLog, type LogSources } from '../logs/follow.ts'
import type { Followers } from '../../access/followers.ts'
import type { AgentService, Found } from '../service.ts'
import type { UsageSampler } from './sampler.ts'

interface Parts {
  readonly agents: Pick<AgentService, 'snapshot'>
  readonly sampler: UsageSampler
  readonly sources: LogSources
  readonly followers: Followers
}

export class AgentFigures {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Throws `WRONG_STATE` if the agent does not run. */
  async stats({ row }: Found): Promise<AgentStats> {
    const { runningId } = this.#parts.agents.snapshot(row)
    if (runningId === null) throw new AppError('WRONG_STATE', 'The agent is not running. Start it first.')
    return this.#parts.sampler.stats(row.id, runningId).catch((error: unknown) => Promise.reject(asAppError(error)))
  }

  /** A stopped agent has a history, too. */
  history({ row }: Found, span: StatsSpan): Promise<AgentStatsHistory> {
    return this.#parts.sampler.history(row.id, span)
  }

  /** Its container's output, one line each with its time; empty if there is no container. */
  async logs({ row }: Found, tail: number): Promise<string> {
    const { container } = this.#parts.agents.snapshot(row)
    if (!container) return ''
    const lines = await this.#parts.sources.runtime
      .logs(container.id, tail)
      .catch((error: unknown) => Promise.reject(asAppError(error)))
    return lines.map(({ at, text }) => `${at} ${text}\n`).join('')
  }

  /**
   * Follows the container's output and the agent's events as NDJSON, until it is destroyed or the right to it ends.
   * Throws `TOO_MANY_REQUESTS` if the caller follows too many logs, and the refusal for a caller who lost the right
   * meanwhile.
   */
  follow(found: Found, arrival: Arrival, { tail, since }: { tail: number; since: string | null }): Readable {
    const { sources, followers } = this.#parts
    const { signal, leave } = followers.enter(found, arrival)
    return ndjson(followLog(sources, { agentId: found.row.id, tail, since, signal }), leave)
  }
}

/** Bytes of a followed log that wait for the network; further output waits in the engine's file. */
const STREAM_BYTES = 65_536

/** `onEnd` is called as soon as the reader is gone, even while the stream waits for the next line. */
const ndjson = (entries: AsyncGenerator<LogEntry[], void>, onEnd: () => void): Readable =>
  new Readable({
    highWaterMark: STREAM_BYTES,
    read() {
      entries.next().then(
        ({ done, value }) => this.push(done ? null : textOf(value)),
        (error: unknown) => this.destroy(error as Error),
      )
    },
    destroy(error, callback) {
      onEnd()
      callback(error)
    },
  })

const textOf = (entries: readonly LogEntry[]): string =>
  entries.length === 0 ? '\n' : entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
