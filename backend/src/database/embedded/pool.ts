/** The embedded database behind an ordinary `pg` pool of one connection. */
import { once } from 'node:events'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import pg from 'pg'
import { lockFolder } from './lock.ts'
import type { DatabaseLocation, FromPool, ToPool, WorkerData } from './messages.ts'
import { WireStream } from './wire-stream.ts'

/** Name of the database's folder inside the data folder. */
const DATABASE_FOLDER = 'database'

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

/** Opens the database in a data folder, or one in memory. Fails while another process has the folder open. */
export async function openEmbeddedPool(location: DatabaseLocation, onRestart: OnRestart): Promise<OpenPool> {
  if (location.dir === null) return startWorker(location, onRestart)
  const unlock = await lockFolder(location.dir, DATABASE_FOLDER)
  try {
    const { pool, close } = await startWorker({ dir: join(location.dir, DATABASE_FOLDER) }, onRestart)
    return { pool, close: () => close().finally(unlock) }
  } catch (error) {
    await unlock()
    throw error
  }
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
