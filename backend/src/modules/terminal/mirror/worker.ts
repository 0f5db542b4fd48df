/** The thread in which the mirrors are: one emulator for each session, and none waits for another longer than a few milliseconds. */
import { parentPort, workerData } from 'node:worker_threads'
import { SCROLLBACK_LINES } from '@slipway/protocol/emulator'
import { streamed } from '../../../lib/garbage.ts'
import type { FromMirrors, ToMirrors } from './messages.ts'
import { Place } from './place.ts'
import { repaint, repainting } from './repaint.ts'
import { Scrollback } from './scrollback.ts'

/** Which session's output is being parsed: if this thread never comes back, it was that. */
const { busyWith } = workerData as { readonly busyWith: Int32Array }
const port = parentPort!
const places = new Map<number, Place>()
const scrollback = new Scrollback(SCROLLBACK_LINES)
const encoder = new TextEncoder()
const encoded = (text: string, rest: Uint8Array): Uint8Array<ArrayBuffer> => {
  const bytes = encoder.encode(text)
  if (rest.length === 0) return bytes
  const all = new Uint8Array(bytes.length + rest.length)
  all.set(bytes)
  all.set(rest, bytes.length)
  return all
}
const answer = (message: FromMirrors, transfer: ArrayBuffer[] = []): void => port.postMessage(message, transfer)

type Print = ToMirrors & { type: 'print' }

const print = (key: number, place: Place, message: Print): Promise<void> => {
  const work = async (): Promise<void> => {
    const text = await textOf(place, message)
    const { cols, rows } = place.emulator.terminal
    const data = encoded(text, place.unfinished)
    const taken = place.parsedTo
    answer({ type: 'printed', key, request: message.request, taken, data, cols, rows }, [data.buffer])
  }
  // In slices it takes long in a flood, and the session is not to wait for what nobody waits for.
  return message.isPatient ? place.meanwhile(work) : place.after(work)
}

const textOf = async ({ emulator }: Place, { key, scrollback: lines, isPatient }: Print): Promise<string> => {
  const { normal } = emulator.terminal.buffer
  const { length } = normal
  const work = repainting(emulator, lines ?? Infinity)
  for (;;) {
    Atomics.store(busyWith, 0, key)
    const { done, value } = work.next()
    if (done) return value
    if (isPatient) await new Promise((resolve) => setImmediate(resolve))
    // The memory was needed for another one's lines.
    if (normal.length !== length) return repaint(emulator, lines ?? Infinity)
  }
}

const close = async (key: number, place: Place): Promise<void> => {
  await place.close()
  places.delete(key)
  scrollback.gone(key)
}

const handle = async (message: ToMirrors): Promise<void> => {
  const { key } = message
  if (message.type === 'open') {
    const { cols, rows } = message
    const place: Place = new Place(
      { cols, rows },
      () => void Atomics.store(busyWith, 0, key),
      () => scrollback.used(key, place.emulator.terminal),
    )
    places.set(key, place)
    return place.restore(message.screen, message.isTorn, () => answer({ type: 'ready' }))
  }
  const place = places.get(key)
  if (!place) return
  switch (message.type) {
    case 'write':
      streamed(message.bytes.length)
      await place.write(message.bytes)
      return answer({ type: 'taken', key })
    case 'resize':
      return place.resize(message)
    case 'print':
      return print(key, place, message)
    case 'close':
      return close(key, place)
  }
}

// What fails here ends the thread, as it should.
port.on('message', (message: ToMirrors) => void handle(message))
answer({ type: 'ready' })
