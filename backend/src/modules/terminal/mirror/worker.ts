/** The thread in which the mirrors are: one emulator for each session, and none waits for another longer than a few milliseconds. */
import { parentPort, workerData } from 'node:worker_threads'
import { SCROLLBACK_LINES } from '@slipway/protocol/emulator'
import { createEmulator, type Emulator } from './emulator.ts'
import type { FromMirrors, ToMirrors } from './messages.ts'
import { repaint } from './repaint.ts'
import { Scrollback } from './scrollback.ts'

interface Place {
  readonly emulator: Emulator
  /** Settles when everything before has been done. */
  done: Promise<void>
}

/** Which session's output is being parsed: if this thread never comes back, it was that. */
const { busyWith } = workerData as { readonly busyWith: Int32Array }
const port = parentPort!
const places = new Map<number, Place>()
const scrollback = new Scrollback(SCROLLBACK_LINES)
const encoder = new TextEncoder()
const answer = (message: FromMirrors, transfer: ArrayBuffer[] = []): void => port.postMessage(message, transfer)

const write = (key: number, { emulator }: Place, bytes: Uint8Array): Promise<void> =>
  new Promise((resolve) => {
    Atomics.store(busyWith, 0, key)
    emulator.terminal.write(bytes, () => {
      scrollback.used(key, emulator.terminal)
      resolve()
    })
  })

const print = (
  key: number,
  { emulator }: Place,
  { request, lines }: { request: number; lines: number | null },
): void => {
  const { cols, rows } = emulator.terminal
  Atomics.store(busyWith, 0, key)
  const data = encoder.encode(repaint(emulator, lines ?? Infinity))
  answer({ type: 'printed', key, request, data, cols, rows }, [data.buffer])
}

port.on('message', (message: ToMirrors) => {
  const { key } = message
  if (message.type === 'open') {
    const { cols, rows } = message
    places.set(key, { emulator: createEmulator({ cols, rows }), done: Promise.resolve() })
    return
  }
  const place = places.get(key)
  if (!place) return
  place.done = place.done.then(async () => {
    switch (message.type) {
      case 'write':
        await write(key, place, message.bytes)
        return answer({ type: 'parsed', key })
      case 'resize':
        return place.emulator.terminal.resize(message.cols, message.rows)
      case 'print':
        return print(key, place, { request: message.request, lines: message.scrollback })
      case 'close':
        places.delete(key)
        scrollback.gone(key)
        place.emulator.terminal.dispose()
    }
  })
})

answer({ type: 'ready' })
