/** The embedded database behind an ordinary `pg` pool of one connection. */
import { once } from 'node:events'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import pg from 'pg'
import { lockFolder } from './lock.ts'
import type { FromPool, Place, ToPool, WorkerData } from './messages.ts'
import { WireStream } from './wire-stream.ts'

/** Name of the database's folder inside the data folder. */
const DATABASE_FOLDER = 'database'

/** A pool, and how it ends. */
export interface OpenPool {
  readonly pool: pg.Pool
  /** Ends the connections, then whatever is behind them. */
  close(): Promise<void>
}

/** Opens the database in a data folder, or one in memory. Fails while another process has the folder open. */
export async function openEmbeddedPool(place: Place): Promise<OpenPool> {
  if (place.dir === null) return startWorker(place)
  const unlock = await lockFolder(place.dir, DATABASE_FOLDER)
  try {
    const { pool, close } = await startWorker({ dir: join(place.dir, DATABASE_FOLDER) })
    return { pool, close: () => close().finally(unlock) }
  } catch (error) {
    await unlock()
    throw error
  }
}

async function startWorker(place: Place): Promise<OpenPool> {
  const workerData: WorkerData = { place }
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData })
  await once(worker, 'message')
  const post = (message: FromPool, transfer: ArrayBuffer[] = []) => worker.postMessage(message, transfer)

  let connection = 0
  let stream: WireStream | null = null
  let dead: Error | null = null
  worker.on('message', (message: ToPool) => {
    if (message.type === 'data' && message.connection === connection) stream?.receive(message.data)
  })
  const end = (error: Error): void => {
    dead = error
    stream?.destroy(error)
  }
  worker.on('error', (cause) => end(new Error('the embedded database broke', { cause })))
  worker.on('exit', () => end(dead ?? new Error('the embedded database has stopped')))

  const openStream = (): WireStream => {
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
