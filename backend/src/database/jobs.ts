/**
 * Steps of work that a later moment or a later backend does. pg-boss keeps them in the database, in a schema of its own.
 * A step may be done twice, so it looks first whether it is still needed.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { PgBoss, type ConstructorOptions } from 'pg-boss'
import { SECOND_MS } from '../lib/time/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Database } from './open.ts'

const SCHEMA = 'jobs'
/** Time between two looks for steps that became due, or that another backend planned, in seconds. */
const LOOK_SECONDS = 1
/** Steps of a kind that are done at the same time. A slow one holds up no other. */
const AT_ONCE = 4
/** After this time an unfinished step is done again, in seconds: its backend is gone. */
const EXPIRE_SECONDS = 300
/** How long {@link Jobs.end} waits for steps that are being done, in milliseconds. */
const STOP_MS = 10 * SECOND_MS
/** How long a step that is over is kept, in seconds. */
const KEEP_SECONDS = 3600
/** Time between two attempts to start while the database does not answer, in milliseconds. */
const RETRY_MS = 5 * SECOND_MS

/** Does a step. If it rejects, that is logged, and the step is over. */
export type DoStep = (id: string) => Promise<void>

export interface JobsDeps {
  readonly database: Pick<Database, 'sql' | 'embedded'>
  readonly log: Log
}

export class Jobs {
  readonly #deps: JobsDeps
  readonly #boss: PgBoss
  readonly #kinds = new Map<string, DoStep>()
  /** The ids of the workers of each kind, once they are there. */
  readonly #workers = new Map<string, string[]>()
  readonly #stopping = new AbortController()
  #started: Promise<boolean> = Promise.resolve(false)

  constructor(deps: JobsDeps) {
    this.#deps = deps
    this.#boss = new PgBoss(optionsFor(deps.database))
    this.#boss.on('error', (error) => {
      if (!this.#stopping.signal.aborted) deps.log.warn({ err: error }, 'the queue of jobs reports an error')
    })
  }

  /** Says how the steps of a kind are done. Call it before {@link start}. */
  handle(kind: string, step: DoStep): void {
    this.#kinds.set(kind, step)
  }

  /** Begins to do steps. Resolves without waiting for the database, and tries until it answers. */
  async start(): Promise<void> {
    this.#started = this.#start()
  }

  /**
   * Plans a step for each id, at once or not before a time in milliseconds since 1970. A step that waits already for the
   * same id stays as it is. Rejects if the database does not answer; nothing is planned after {@link end}.
   */
  async plan(kind: string, ids: readonly string[], notBefore?: number): Promise<void> {
    if (ids.length === 0 || !(await this.#started) || this.#stopping.signal.aborted) return
    const later = notBefore === undefined ? {} : { startAfter: new Date(notBefore) }
    await this.#boss.insert(
      kind,
      ids.map((id) => ({ data: { id }, singletonKey: id, ...later })),
    )
    if (notBefore === undefined) for (const worker of this.#workers.get(kind) ?? []) this.#boss.notifyWorker(worker)
  }

  /** Resolves when no step is being done any more. Steps that are planned wait for the next backend. */
  async end(): Promise<void> {
    this.#stopping.abort()
    if (await this.#started) await this.#boss.stop({ graceful: true, timeout: STOP_MS })
  }

  /** Answers false if it was stopped before the database answered. */
  async #start(): Promise<boolean> {
    const { signal } = this.#stopping
    while (!signal.aborted)
      try {
        await this.#boss.start()
        for (const [kind, step] of this.#kinds) await this.#work(kind, step)
        return true
      } catch (error) {
        this.#deps.log.error({ err: error }, 'the queue of jobs cannot start')
        await delay(RETRY_MS, undefined, { signal, ref: false }).catch(() => undefined)
      }
    return false
  }

  async #work(kind: string, step: DoStep): Promise<void> {
    // `short`: of the steps for one id, at most one waits.
    await this.#boss.createQueue(kind, {
      policy: 'short',
      retryLimit: 1,
      expireInSeconds: EXPIRE_SECONDS,
      deleteAfterSeconds: KEEP_SECONDS,
    })
    const workers: string[] = []
    this.#workers.set(kind, workers)
    const options = { batchSize: 1, pollingIntervalSeconds: LOOK_SECONDS }
    for (let at = 0; at < AT_ONCE; at += 1)
      workers[at] = await this.#boss.work<{ readonly id: string }>(kind, options, async ([job]) => {
        if (job) await this.#do(kind, step, job.data.id)
        // Otherwise it would look again a second after it has begun: four steps a second, however short they are.
        this.#boss.notifyWorker(workers[at]!)
      })
  }

  async #do(kind: string, step: DoStep, id: string): Promise<void> {
    await step(id).catch((error: unknown) => this.#deps.log.error({ kind, id, err: error }, 'a job failed'))
  }
}

const optionsFor = ({ sql, embedded }: JobsDeps['database']): ConstructorOptions => ({
  schema: SCHEMA,
  db: { executeSql: (text, values) => sql(text, values) },
  backend: embedded ? 'pglite' : 'postgres',
  schedule: false,
  // The tables stay small, and the server's own figures tell what an operator needs.
  monitorVacuum: false,
  reindex: false,
  registerInstance: false,
})

/** Makes the tables, which a first start otherwise does. It takes seconds. */
export const installJobs = async (database: JobsDeps['database']): Promise<void> => {
  const boss = new PgBoss({ ...optionsFor(database), supervise: false })
  await boss.start()
  await boss.stop({ graceful: false })
}
