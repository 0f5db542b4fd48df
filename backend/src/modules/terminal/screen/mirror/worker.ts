/**
 * The thread of the mirrors: one emulator per session. None of them waits longer than a few milliseconds for another.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { SCROLLBACK_LINES } from '@slipway/emulator'
import { streamed } from '../../../../lib/garbage.ts'
import { Journal, type JournalPlace } from '../journal/journal.ts'
import type { FromMirrors, ToMirrors } from './messages.ts'
import { SessionScreen } from './session-screen.ts'
import { repainting } from '@slipway/emulator/headless'
import { Scrollback } from '@slipway/emulator/headless'

/** How long a print that a user waits for runs before it lets others through, in milliseconds. */
const PRESSING_MS = 100
/**
 * Longest answer to the queries in one piece of output, in UTF-16 code units: as much as the kernel keeps of a terminal's
 * input (N_TTY_BUF_SIZE). A program that asks for more does not read it, and must not keep the server busy.
 */
const ANSWER_MAX = 4096

/** The session whose output is being parsed. If this thread hangs, that output was the cause. */
const { busyWith, journal } = workerData as { readonly busyWith: Int32Array; readonly journal: JournalPlace | null }
const port = parentPort!
const screens = new Map<number, SessionScreen>()
/** The screens that answer queries of their programs now, with what they have not said yet. */
const answering = new Map<number, { said: string; dispose(): void }>()
/** The last journal of each session, which may have ended. */
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
  // In a flood, a print in slices takes long. The session must not wait for a print that no user waits for.
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
    // Lines were evicted because another screen needed the memory, so the print starts anew.
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

/** From the next write on, queries are answered, or not. */
const answerQueries = (key: number, screen: SessionScreen, answers: boolean): Promise<void> =>
  screen.after(() => {
    answering.get(key)?.dispose()
    answering.delete(key)
    if (!answers) return
    const listener = screen.emulator.terminal.onData((data) => {
      if (asked.said.length + data.length <= ANSWER_MAX) asked.said += data
    })
    const asked = { said: '', dispose: () => listener.dispose() }
    answering.set(key, asked)
  })

/** One message for all queries of a piece, because there may be a hundred thousand in a second. */
const sayAnswers = (key: number): void => {
  const asked = answering.get(key)
  if (!asked || asked.said === '') return
  answer({ type: 'answered', key, data: asked.said })
  asked.said = ''
}

const close = async (key: number, screen: SessionScreen, goesOn: boolean): Promise<void> => {
  void journals.get(key)?.end(!goesOn)
  journals.delete(key)
  await screen.close()
  answering.delete(key)
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
      // Output counts as taken only once it is written for the next server.
      const written = journals.get(key)?.append(message.bytes)
      if (message.answers !== answering.has(key)) await answerQueries(key, screen, message.answers)
      await screen.write(message.bytes)
      // A small piece would not be parsed before its screen is wanted.
      if (message.answers) await screen.after(() => sayAnswers(key))
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

// An error here ends the thread, which is then replaced.
port.on('message', (message: ToMirrors) => void handle(message))
answer({ type: 'ready' })
