/**
 * The embedded database itself: PGlite in a thread of its own. In the main thread a row of queries lets no timer and no
 * socket run until it ends, so every terminal would stand still for it.
 *
 * Carries PostgreSQL's wire protocol between {@link FromPool} and {@link ToPool} messages.
 */
import { fsyncSync, mkdirSync, openAsBlob } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite, type PGliteOptions } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import type { DatabaseLocation, FromPool, ToPool, WorkerData } from './messages.ts'

/** PostgreSQL's settings: the defaults for memory cost 190 MB more, and this database has one connection. */
const SETTINGS = ['shared_buffers=16MB', 'wal_buffers=1MB', `timezone='UTC'`]
/** PostgreSQL's switch for "no fsync", which PGlite sets by itself. */
const NO_FSYNC = '-F'

/** The part of Emscripten's module that we change: how an open file is flushed to its disk. */
interface NodeFsModule {
  NODEFS: { stream_ops: { fsync?: (stream: { nfd?: number }) => number } }
}

/** PGlite's file system never flushes, so what was committed would not survive a power cut. This one does. */
class DurableFs extends NodeFS {
  override async init(...args: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const result = await super.init(...args)
    const flush = (module: object): void => {
      const { stream_ops } = (module as NodeFsModule).NODEFS
      stream_ops.fsync = (stream) => {
        if (stream.nfd !== undefined) fsyncSync(stream.nfd)
        return 0
      }
    }
    const options = result.emscriptenOpts as { preRun?: ((module: object) => void)[] }
    options.preRun = [...(options.preRun ?? []), flush]
    return result
  }
}

async function optionsFor(location: DatabaseLocation): Promise<PGliteOptions> {
  if (location.dir === null) {
    const dump = location.dump === null ? {} : { loadDataDir: await openAsBlob(location.dump) }
    return { dataDir: 'memory://', postgresqlconf: SETTINGS, ...dump }
  }
  mkdirSync(location.dir, { recursive: true, mode: 0o700 })
  return {
    fs: new DurableFs(location.dir),
    startParams: PGlite.defaultStartParams.filter((param) => param !== NO_FSYNC),
    postgresqlconf: [...SETTINGS, 'fsync=on', 'wal_sync_method=fsync'],
  }
}

const port = parentPort
if (!port) throw new Error('this file is the entry of a worker thread')
const db = await PGlite.create(await optionsFor((workerData as WorkerData).location))

async function handle(message: FromPool): Promise<void> {
  switch (message.type) {
    case 'open':
      // The connection before this one may have gone in the middle of a transaction.
      await db.exec('ROLLBACK')
      await db.exec('DISCARD ALL')
      return
    case 'data':
      await db.execProtocolRawStream(message.data, {
        onRawData: (chunk) => {
          const data = new Uint8Array(chunk)
          send({ type: 'data', connection: message.connection, data }, [data.buffer])
        },
      })
      return
    case 'close':
      await db.close()
      process.exit(0)
  }
}

function send(message: ToPool, transfer: ArrayBuffer[] = []): void {
  port?.postMessage(message, transfer)
}

let queue: Promise<void> = Promise.resolve()
port.on('message', (message: FromPool) => {
  // A failure here is PGlite's own, not a query's: let it end the thread, which the pool reports.
  queue = queue.then(() => handle(message))
})
send({ type: 'ready' })
