/** Keeps threads and conversations the same: reads what was written there, and posts what came of it. */
import type { Clock } from '../../../lib/time/clock.ts'
import type { Log } from '../../../lib/log.ts'
import type { ConversationRepository } from '../../conversations/repository.ts'
import type { ChatMetrics, TendedOutcome } from './metrics.ts'
import { ChatError, type ChatService } from './port.ts'
import type { Poster } from './poster.ts'
import type { Reader } from './reader.ts'
import type { ChatThreadRepository } from './repository.ts'

interface Deps {
  readonly chat: Pick<ChatService, 'name'>
  readonly threads: ChatThreadRepository
  readonly conversations: Pick<ConversationRepository, 'byRun'>
  readonly reader: Pick<Reader, 'read' | 'readChanges'>
  readonly poster: Pick<Poster, 'post'>
  readonly metrics: ChatMetrics
  readonly clock: Clock
  readonly log: Pick<Log, 'warn' | 'error'>
}

interface Tended {
  again: boolean
  done: Promise<void>
}

export class ChatThreads {
  readonly #deps: Deps
  /** Those that are being tended, and whether it was asked for again meanwhile. */
  readonly #tended = new Map<string, Tended>()
  /** Those that may have unread messages. As many as threads of conversations that are not archived. */
  readonly #unread = new Set<string>()
  /** Those with messages that wait and may have been edited or deleted. */
  readonly #changed = new Set<string>()
  /** The faults of those that could not be kept up to date, so that one that lasts is logged once. */
  readonly #faults = new Map<string, string>()
  #isConnected = false
  #isStopped = false

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** What was written while the bot was away is read now. */
  async connected(): Promise<void> {
    this.#isConnected = true
    this.#deps.metrics.connected()
    const { threads } = this.#deps
    for (const id of await threads.unread()) this.#unread.add(id)
    for (const id of await threads.changeable()) this.#changed.add(id)
    for (const id of this.#heard()) await this.tend(id)
  }

  /** Tends all that have something to do, one after the other. */
  async look(): Promise<void> {
    if (!this.#isConnected) return
    for (const id of new Set([...this.#heard(), ...(await this.#deps.threads.due())])) await this.tend(id)
  }

  /** A place has something new. Most places are no threads of ours. */
  async rang(placeId: string): Promise<void> {
    await this.#hear(this.#unread, placeId)
  }

  /** A message of a place was edited or deleted. */
  async changed(placeId: string): Promise<void> {
    await this.#hear(this.#changed, placeId)
  }

  async #hear(what: Set<string>, placeId: string): Promise<void> {
    const thread = await this.#deps.threads.byThread(placeId)
    if (!thread) return
    what.add(thread.conversationId)
    await this.tend(thread.conversationId)
  }

  #heard(): ReadonlySet<string> {
    return new Set([...this.#unread, ...this.#changed])
  }

  /** A question of a run was opened or closed. */
  async asked(runId: string): Promise<void> {
    if (!this.#isConnected) return
    const row = await this.#deps.conversations.byRun(runId)
    if (row) await this.tend(row.id)
  }

  /** Brings one up to date. Never rejects: what failed is tried again at the next look. */
  async tend(id: string): Promise<void> {
    if (!this.#isConnected || this.#isStopped) return
    const running = this.#tended.get(id)
    if (running) {
      running.again = true
      return running.done
    }
    const entry: Tended = { again: false, done: Promise.resolve() }
    this.#tended.set(id, entry)
    entry.done = this.#tendAll(id, entry)
    return entry.done
  }

  /** Resolves when what has begun is over. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all([...this.#tended.values()].map(({ done }) => done))
  }

  /** Once more for each call that came meanwhile. */
  async #tendAll(id: string, entry: Tended): Promise<void> {
    do {
      entry.again = false
      await this.#tend(id)
    } while (this.#isWanted(entry))
    this.#tended.delete(id)
  }

  #isWanted({ again }: Tended): boolean {
    return again && !this.#isStopped
  }

  async #tend(conversationId: string): Promise<void> {
    const { threads, reader, poster, metrics } = this.#deps
    try {
      const thread = await threads.find(conversationId)
      if (!thread) return this.#forget(conversationId)
      await this.#once(this.#unread, conversationId, () => reader.read(thread))
      await this.#once(this.#changed, conversationId, () => reader.readChanges(thread))
      await poster.post(thread)
      this.#faults.delete(conversationId)
      metrics.tended('done')
    } catch (error) {
      metrics.tended(await this.#failed(conversationId, error))
    }
  }

  /** What fails stays to be done. */
  async #once(wanted: Set<string>, id: string, act: () => Promise<void>): Promise<void> {
    if (!wanted.delete(id)) return
    await act().catch((error: unknown) => {
      wanted.add(id)
      throw error
    })
  }

  #forget(id: string): void {
    for (const known of [this.#unread, this.#changed, this.#faults]) known.delete(id)
  }

  async #failed(conversationId: string, error: unknown): Promise<TendedOutcome> {
    const { threads, clock, log, chat } = this.#deps
    const facts = { conversationId, service: chat.name }
    if (!(error instanceof ChatError)) {
      log.error({ err: error, ...facts }, 'a thread could not be kept up to date')
      return 'failed'
    }
    const { fault, number, message: reason } = error
    if (fault !== 'gone') {
      const known = `${fault} ${number}`
      if (this.#faults.get(conversationId) !== known)
        log.warn({ ...facts, fault, number, reason }, 'a thread could not be kept up to date, and is tried again')
      this.#faults.set(conversationId, known)
      return 'retried'
    }
    this.#forget(conversationId)
    await threads
      .gone(conversationId, new Date(clock.now()))
      .catch((err: unknown) => log.error({ err, ...facts }, 'a thread could not be given up'))
    log.warn({ ...facts, number }, 'a thread is gone: its conversation goes on without it')
    return 'gone'
  }
}
