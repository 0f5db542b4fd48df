/** Manages the mirrors of all sessions, and the thread in which they run. */
import { Worker } from 'node:worker_threads'
import type { Log } from '../../../../lib/log.ts'
import { Semaphore } from '../../../../lib/semaphore.ts'
import type { JournalPlace } from '../journal/journal.ts'
import { removeSegments } from '../journal/past.ts'
import type { FromMirrors, ToMirrors } from './messages.ts'
import { type Beginning, Mirror } from './mirror.ts'
import type { MirrorSource } from './source.ts'

/**
 * How long the thread may be silent while it has work, in milliseconds. A piece of output takes a hundredth of that.
 */
const SILENT_MS = 10_000
/** Limit for the heap of the thread, in MiB. The lines have a limit of their own. */
const HEAP_MB = 1024

/**
 * How many sessions may wait for the replay of their journal. For more, the screen comes from the container's output
 * alone.
 */
const REPLAYS_WAITING = 1000

/** Shortest time between two log lines on journals that cannot be written, in milliseconds. */
const TELL_EVERY_MS = 60_000

interface Options {
  readonly silentMs?: number
  readonly heapMb?: number
  /** Where journals are written; if missing, there are none. */
  readonly journal?: JournalPlace
}

export class Mirrors {
  readonly #log: Log
  readonly #options: Required<Omit<Options, 'journal'>> & Options
  readonly #mirrors = new Map<number, Mirror>()
  #worker: Worker | null = null
  #busyWith = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  readonly #replays = new Semaphore(1, REPLAYS_WAITING)
  #lastKey = 0
  /** When the log was last told that a journal cannot be written. */
  #toldAt = -Infinity
  #watch: NodeJS.Timeout | null = null
  /** Whether the thread has started, which takes long on a busy machine. */
  #isReady = false
  /** Whether the thread has sent anything since the last look. */
  #isHeard = false

  constructor(log: Log, options: Options = {}) {
    this.#log = log
    this.#options = { silentMs: SILENT_MS, heapMb: HEAP_MB, ...options }
  }

  /** Opens a mirror, which follows the output of a session. */
  open(source: MirrorSource, beginning?: Beginning): Mirror {
    const key = (this.#lastKey += 1)
    const mirror = new Mirror(source, {
      canJournal: this.#options.journal !== undefined,
      send: (message, transfer) => this.#send({ ...message, key }, transfer),
      inTurn: (work) => this.#replays.run(work),
      missing: (bytes) => {
        const sentence = 'output of a terminal was not on the disk as it should be: its screen is incomplete'
        this.#log.warn({ sessionId: source.id, bytes }, sentence)
      },
      closed: () => this.#mirrors.delete(key),
    })
    this.#mirrors.set(key, mirror)
    mirror.begin(beginning)
    return mirror
  }

  /** Ends the thread. */
  async close(): Promise<void> {
    for (const mirror of this.#mirrors.values()) mirror.lose()
    this.#stopWatching()
    const worker = this.#worker
    this.#worker = null
    await worker?.terminate()
  }

  #send(message: ToMirrors, transfer: ArrayBuffer[] = []): void {
    this.#worker ??= this.#start()
    this.#worker.postMessage(message, transfer)
    this.#watch ??= this.#beginWatching()
  }

  #start(): Worker {
    this.#isReady = false
    const worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: { busyWith: this.#busyWith, journal: this.#options.journal ?? null },
      resourceLimits: { maxOldGenerationSizeMb: this.#options.heapMb },
    })
    worker.unref()
    worker.on('message', (message: FromMirrors) => {
      // A replaced thread answers messages that its successor did not get.
      if (this.#worker !== worker) return
      this.#isHeard = true
      if (message.type === 'ready') this.#isReady = true
      else this.#hear(message)
    })
    worker.on('error', (error) => this.#replace(worker, error))
    return worker
  }

  #hear(message: Exclude<FromMirrors, { type: 'ready' }>): void {
    const mirror = this.#mirrors.get(message.key)
    const now = performance.now()
    // The journal begins again with the next kept screen.
    if (message.type === 'unjournaled' && now - this.#toldAt >= TELL_EVERY_MS) {
      const { cause } = message
      this.#toldAt = now
      const sentence = 'output of a terminal is not on the disk: a kill would leave its screen incomplete'
      this.#log.warn({ sessionId: mirror?.sessionId, cause }, sentence)
    }
    mirror?.hear(message)
  }

  #beginWatching(): NodeJS.Timeout {
    this.#isHeard = true
    return setInterval(() => this.#look(), this.#options.silentMs).unref()
  }

  #stopWatching(): void {
    if (this.#watch) clearInterval(this.#watch)
    this.#watch = null
  }

  #look(): void {
    const isBusy = [...this.#mirrors.values()].some((mirror) => mirror.isWaiting)
    if (!isBusy) return this.#stopWatching()
    if (this.#isReady && !this.#isHeard && this.#worker) this.#replace(this.#worker, new Error('no answer'))
    this.#isHeard = false
  }

  /** The session whose output broke the thread loses its mirror, so that this cannot happen to the others again. */
  #replace(worker: Worker, error: unknown): void {
    if (this.#worker !== worker) return
    this.#worker = null
    const terminated = worker.terminate()
    const culprit = this.#mirrors.get(Atomics.load(this.#busyWith, 0))
    this.#log.error({ err: error, sessionId: culprit?.sessionId }, 'the mirrors were lost, and are made anew')
    culprit?.lose()
    if (culprit) void this.#clear(culprit.sessionId, terminated)
    for (const mirror of this.#mirrors.values()) mirror.beginAgain()
  }
  /** Removes the journal of a session that lost its mirror: it counts no more, and its continuation is missing. */
  async #clear(sessionId: string, terminated: Promise<unknown>): Promise<void> {
    await terminated
    const { journal } = this.#options
    // Files that cannot be removed now are removed with the session.
    if (journal) await removeSegments(journal.folder, sessionId).catch(() => undefined)
  }
}
