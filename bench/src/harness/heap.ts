/** What a server's heap holds once its garbage is gone, asked of Node's inspector: the server itself is as it is served. */
import { once } from 'node:events'
import WebSocket from 'ws'
import { residentBytes } from './raw.ts'
import type { Backend } from './backend.ts'

/** Of an inspector on a free port of this machine alone. */
export const INSPECTOR_FLAGS = ['--inspect=127.0.0.1:0']
/** What becomes garbage by a finalizer is collected by the next round. */
const COLLECTIONS = 3

export interface Memory {
  readonly heapBytes: number
  /** Buffers and other memory outside of the heap that belongs to it. */
  readonly externalBytes: number
  readonly residentBytes: number
}

interface Answer {
  readonly id: number
  readonly result: {
    readonly usedSize: number
    readonly backingStorageSize: number
    readonly embedderHeapUsedSize: number
  }
}

export const collectedMemory = async ({ inspector, pid }: Backend): Promise<Memory> => {
  if (inspector === null) throw new Error('the server was started without an inspector')
  const socket = new WebSocket(inspector)
  await once(socket, 'open')
  let id = 0
  const ask = async (method: string): Promise<Answer['result']> => {
    id += 1
    const asked = id
    socket.send(JSON.stringify({ id: asked, method }))
    for (;;) {
      const [data] = (await once(socket, 'message')) as [Buffer]
      const answer = JSON.parse(data.toString()) as Answer
      if (answer.id === asked) return answer.result
    }
  }
  for (let round = 0; round < COLLECTIONS; round++) await ask('HeapProfiler.collectGarbage')
  const { usedSize, backingStorageSize } = await ask('Runtime.getHeapUsage')
  socket.close()
  await once(socket, 'close')
  return { heapBytes: usedSize, externalBytes: backingStorageSize, residentBytes: await residentBytes(pid) }
}
