/** The thread in which the mirrors are: one emulator for each session, and none waits for another longer than a few milliseconds. */
import { parentPort, workerData } from 'node:worker_threads'
import { SCROLLBACK_LINES } from '@slipway/emulator'
import { streamed } from '../../../../lib/garbage.ts'
import { Journal, type JournalPlace } from '../journal/journal.ts'
import type { FromMirrors, ToMirrors } from './messages.ts'
import { SessionScreen } from './session-screen.ts'
import { repainting } from '@slipway/emulator/headless'
import { Scrollback } from '@slipway/emulator/headless'

/** A print that somebody waits for does not stop for others before it has taken so long, in milliseconds. */
const PRESSING_MS = 100

/** Which session's output is being parsed: if this thread never comes back, it was that. */
const { busyWith, journal } = workerData as { readonly busyWith: Int32Array; readonly journal: JournalPlace | null }
const port = parentPort!
const screens = new Map<number, SessionScreen>()
/** The last one of each, which may be over. */
const journals = new Map<number, Journal>()
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

const print = (key: number, screen: SessionScreen, message: Print): Promise<void> => {
  const { request, base } = message
  const printed = (taken: number, data: Uint8Array<ArrayBuffer>, base: number | null): void => {
    const { cols, rows } = screen.emulator.terminal
    answer({ type: 'printed', key, request, taken, data, cols, rows, base }, [data.buffer])
  }
  const since = base === null ? null : screen.since(base)
  if (since) return Promise.resolve(printed(since.taken, since.bytes, base))
  const work = async (): Promise<void> => {
    const text = await textOf(screen, message)
    printed(screen.parsedTo, encoded(text, screen.unfinished), null)
  }
  // In slices it takes long in a flood, and the session is not to wait for what nobody waits for.
  return message.isPatient ? screen.meanwhile(work) : screen.after(work)
}

const textOf = async ({ emulator }: SessionScreen, { key, scrollback: lines, isPatient }: Print): Promise<string> => {
  const { normal } = emulator.terminal.buffer
  let [length, work, since] = [normal.length, repainting(emulator, lines ?? Infinity), performance.now()]
  for (;;) {
    Atomics.store(busyWith, 0, key)
    const { done, value } = work.next()
    if (done) return value
    if (!isPatient && performance.now() - since < PRESSING_MS) continue
    await new Promise((resolve) => setImmediate(resolve))
    since = performance.now()
    // The memory was needed for another one's lines.
    if (normal.length !== length) [length, work] = [normal.length, repainting(emulator, lines ?? Infinity)]
  }
}

const beginJournal = (message: ToMirrors & { type: 'journal' }): Promise<void> => {
  const { key } = message
  const failed = (error: unknown): void => answer({ type: 'unjournaled', key, cause: String(error) })
  const after = journals.get(key)?.settled
  const begun = new Journal(journal!, { ...message, failed, ...(after && { after }) })
  journals.set(key, begun)
  return begun.append(message.bytes)
}

const close = async (key: number, screen: SessionScreen, goesOn: boolean): Promise<void> => {
  void journals.get(key)?.end(!goesOn)
  journals.delete(key)
  await screen.close()
  screens.delete(key)
  scrollback.gone(key)
}

const handle = async (message: ToMirrors): Promise<void> => {
  const { key } = message
  if (message.type === 'open') {
    const { cols, rows } = message
    const screen: SessionScreen = new SessionScreen(
      { cols, rows },
      () => void Atomics.store(busyWith, 0, key),
      () => scrollback.used(key, screen.emulator.terminal),
    )
    screens.set(key, screen)
    return message.screen ? screen.restore(message.screen, () => answer({ type: 'ready' })) : undefined
  }
  const screen = screens.get(key)
  if (!screen) return
  switch (message.type) {
    case 'write': {
      streamed(message.bytes.length)
      // What was taken is there for the next server.
      const written = journals.get(key)?.append(message.bytes)
      await screen.write(message.bytes)
      await written
      return answer({ type: 'taken', key })
    }
    case 'tear':
      return screen.tear()
    case 'journal':
      return beginJournal(message)
    case 'kept':
      return message.offset === null ? journals.get(key)?.end(true) : journals.get(key)?.kept(message.offset)
    case 'resize':
      await screen.resize(message)
      return answer({ type: 'taken', key })
    case 'print':
      return print(key, screen, message)
    case 'close':
      return close(key, screen, message.goesOn)
  }
}

// What fails here ends the thread, as it should.
port.on('message', (message: ToMirrors) => void handle(message))
answer({ type: 'ready' })
