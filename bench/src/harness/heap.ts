/**
 * Asks Node's inspector for the size of a server's heaps and those of its threads, after a garbage collection. The
 * server itself runs as usual.
 */
import { once } from 'node:events'
import WebSocket from 'ws'
import { residentBytes } from './raw.ts'
import type { Backend } from './backend.ts'

/** Flags for an inspector on a free port of this machine. */
export const INSPECTOR_FLAGS = ['--inspect=127.0.0.1:0']
/** Number of collections. What a finalizer makes garbage is collected in the next one. */
const COLLECTIONS = 3

export interface Memory {
  readonly heapBytes: number
  /** Buffers and other memory that belong to the heap and are outside of it. */
  readonly externalBytes: number
  readonly residentBytes: number
}

interface Usage {
  readonly usedSize: number
  readonly backingStorageSize: number
}

interface Message {
  readonly id?: number
  readonly method?: string
  readonly result?: unknown
  readonly params?: { readonly sessionId: string; readonly message?: string }
}

/** Sends a method to one thread, and answers its result. */
type Ask = (method: string) => Promise<unknown>

/** Requests without an answer, by id. */
class Asked {
  readonly #waiting = new Map<number, (result: unknown) => void>()

  ask(say: (text: string) => void, method: string, params?: object): Promise<unknown> {
    const id = this.#waiting.size + 1
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve)
      say(JSON.stringify({ id, method, params }))
    })
  }

  take({ id, result }: Message): void {
    if (id !== undefined) this.#waiting.get(id)?.(result)
  }
}

/** One function for each thread, the main thread first. A worker's messages travel in those of the main thread. */
const threadsOf = async (socket: WebSocket): Promise<Ask[]> => {
  const main = new Asked()
  const workers = new Map<string, Asked>()
  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString()) as Message
    const { sessionId = '', message: inner } = message.params ?? {}
    if (message.method === 'NodeWorker.attachedToWorker') workers.set(sessionId, new Asked())
    else if (inner !== undefined) workers.get(sessionId)?.take(JSON.parse(inner) as Message)
    else main.take(message)
  })
  const say = (text: string): void => socket.send(text)
  const ask = (method: string, params?: object): Promise<unknown> => main.ask(say, method, params)
  await ask('NodeWorker.enable', { waitForDebuggerOnStart: false })
  const asks = [...workers].map(
    ([sessionId, asked]): Ask =>
      (method) =>
        asked.ask((message) => void ask('NodeWorker.sendMessageToWorker', { sessionId, message }), method),
  )
  return [ask, ...asks]
}

export const collectedMemory = async ({ inspector, pid }: Backend): Promise<Memory> => {
  if (inspector === null) throw new Error('the server was started without an inspector')
  const socket = new WebSocket(inspector)
  await once(socket, 'open')
  const threads = await threadsOf(socket)
  const [heap, external] = [[] as number[], [] as number[]]
  for (const ask of threads) {
    for (let round = 0; round < COLLECTIONS; round++) await ask('HeapProfiler.collectGarbage')
    const { usedSize, backingStorageSize } = (await ask('Runtime.getHeapUsage')) as Usage
    heap.push(usedSize)
    external.push(backingStorageSize)
  }
  socket.close()
  await once(socket, 'close')
  const [heapBytes, externalBytes] = [sum(heap), sum(external)]
  return { heapBytes, externalBytes, residentBytes: await residentBytes(pid) }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, next) => total + next, 0)
