/** The embedded database behind an ordinary `pg` pool of one connection. */
import { once } from 'node:events'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import pg from 'pg'
import { dataFolderSentence, faultOfFolder, folderFault } from '../../lib/folder-fault.ts'
import { DatabaseOpenError } from '../open-error.ts'
import { lockFolder } from './lock.ts'
import type { DatabaseLocation, FromPool, ToPool, WorkerData } from './messages.ts'
import { WireStream } from './wire-stream.ts'

/** Name of the database's folder inside the data folder. */
const DATABASE_FOLDER = 'database'

/** A new database with its write-ahead log takes 40 MB. */
const NEW_DATABASE_BYTES = 48 * 2 ** 20
/** Less room than this counts as a full disk where an existing database cannot be opened. */
const OPEN_BYTES = 2 ** 20

/** From one start of the thread to the next, in milliseconds: one that cannot start must not be started in a circle. */
const RESTART_PAUSE_MS = 3_000

/** A pool, and how it ends. */
export interface OpenPool {
  readonly pool: pg.Pool
  /** Ends the connections, then whatever is behind them. */
  close(): Promise<void>
}

/** Told when the database broke and is started again. */
type OnRestart = () => void

/**
 * Opens the database in a data folder, or one in memory. Rejects with {@link DatabaseOpenError}: another process has the
 * folder open, or the folder cannot be used.
 */
export async function openEmbeddedPool(location: DatabaseLocation, onRestart: OnRestart): Promise<OpenPool> {
  const { dir } = location
  if (dir === null) return startWorker(location, onRestart)
  try {
    const unlock = await lockFolder(dir, DATABASE_FOLDER)
    try {
      await createOnce(dir)
      const { pool, close } = await startWorker({ dir: join(dir, DATABASE_FOLDER) }, onRestart)
      const closeAll = async (): Promise<void> => {
        try {
          await close()
        } finally {
          await unlock()
        }
      }
      return { pool, close: closeAll }
    } catch (error) {
      await unlock()
      throw error
    }
  } catch (error) {
    throw error instanceof DatabaseOpenError ? error : embeddedOpenError(dir, error)
  }
}

/** A new database gets its name when it is complete, so a start that fails or is killed leaves none that is half made. */
async function createOnce(dir: string): Promise<void> {
  const path = join(dir, DATABASE_FOLDER)
  if (existsSync(path)) return
  const draft = `${path}.new`
  rmSync(draft, { recursive: true, force: true })
  try {
    const { close } = await startWorker({ dir: draft }, () => undefined)
    await close()
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    throw embeddedOpenError(dir, error, NEW_DATABASE_BYTES)
  }
}

/** What the operator has to repair; the database's own errors do not say it. */
export function embeddedOpenError(dir: string, cause: unknown, room = OPEN_BYTES): DatabaseOpenError {
  const fault = folderFault(cause) ?? faultOfFolder(dir, room)
  if (fault !== null) return new DatabaseOpenError(dataFolderSentence(dir, fault), { cause })
  const reason = cause instanceof Error ? cause.message : JSON.stringify(cause)
  return new DatabaseOpenError(`SLIPWAY_DATA_DIR: the database in ${dir} cannot be opened: ${reason}`, { cause })
}

async function startWorker(location: DatabaseLocation, onRestart: OnRestart): Promise<OpenPool> {
  let connection = 0
  let stream: WireStream | null = null
  let startedAt = 0
  let dead: Error | null = null

  const start = (): Worker => {
    const workerData: WorkerData = { location }
    const started = new Worker(new URL('./worker.ts', import.meta.url), { workerData })
    startedAt = performance.now()
    dead = null
    const end = (error: Error): void => {
      if (started !== worker) return
      dead = error
      stream?.destroy(error)
    }
    started.on('message', (message: ToPool) => {
      if (message.type === 'data' && message.connection === connection) stream?.receive(message.data)
    })
    started.on('error', (cause) => end(new Error('the embedded database broke', { cause })))
    started.on('exit', () => end(dead ?? new Error('the embedded database has stopped')))
    return started
  }
  let worker = start()
  await once(worker, 'message')
  const post = (message: FromPool, transfer: ArrayBuffer[] = []) => worker.postMessage(message, transfer)

  /** What was committed is in the folder, so a thread that broke is replaced; one in memory has taken all along. */
  const revive = (): void => {
    if (!dead || location.dir === null || performance.now() - startedAt < RESTART_PAUSE_MS) return
    worker = start()
    onRestart()
  }
  const openStream = (): WireStream => {
    revive()
    const number = ++connection
    post({ type: 'open' })
    stream = new WireStream((data) => post({ type: 'data', connection: number, data }, [data.buffer]))
    if (dead) stream.destroy(dead)
    return stream
  }
  const config = { max: 1, user: 'postgres', database: 'postgres', idleTimeoutMillis: 0, stream: openStream }
  const pool = new pg.Pool(config)
  const close = async (): Promise<void> => {
    await pool.end()
    if (dead) return
    const exited = once(worker, 'exit')
    post({ type: 'close' })
    await exited
  }
  return { pool, close }
}
