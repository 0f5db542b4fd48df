/** Uses many terminals for a long time, each in its own way. */
import { nextData, pause } from './channel.ts'
import { type Hello, openTerminal, type TerminalChannel, type TerminalTarget } from './terminal.ts'

/** How many are opened and closed at once. */
const AT_ONCE = 8
const FLOOD_BYTES = 3_000_000
/** Longest time for a program that prints so much while the others work, in milliseconds. */
const FLOOD_WITHIN_MS = 120_000

/**
 * How much of the end is searched for the mark, in bytes. A repainted screen has more after the mark, such as its title
 * and its modes.
 */
const TAIL_BYTES = 4096

export type Use = 'idle' | 'type' | 'flood' | 'reconnect' | 'takeOver' | 'resize'
export type Used = Record<Use, number>

/** One user's session, over its current socket. */
class Soaked {
  readonly #target: TerminalTarget
  #channel: TerminalChannel | null = null
  #step = 0

  constructor(target: TerminalTarget) {
    this.#target = target
  }

  /** Answers the first output: a prompt, or the screen as it was. */
  async open(hello: Hello = { client: 'first' }): Promise<void> {
    this.#channel = await openTerminal(this.#target, hello)
    await nextData(this.#channel)
    this.#channel.onData(() => undefined)
  }

  async close(): Promise<void> {
    await this.#channel?.close()
  }

  async use(use: Use): Promise<void> {
    this.#step += 1
    const channel = this.#channel!
    switch (use) {
      case 'idle':
        return
      case 'type':
        // Types a letter or erases it, so the command line stays as it is.
        return channel.write(this.#step % 2 === 0 ? 'x' : '\u007f')
      case 'flood':
        return flood(channel)
      case 'reconnect':
        channel.cut()
        return this.open()
      case 'takeOver':
        return this.open({ client: `device ${this.#step}`, takeover: true })
      case 'resize':
        return channel.resize(80 + (this.#step % 50), 24 + (this.#step % 20))
    }
  }
}

/**
 * Pause between two uses of one terminal, in milliseconds. Each reconnect writes a row to the audit log, with a flush.
 * It is as if fifty users lost their networks all the time.
 */
const RESTS_MS: Used = { idle: 1_000, type: 200, flood: 5_000, reconnect: 5_000, takeOver: 5_000, resize: 500 }
/** The uses, in proportion to how often they occur. */
const USES: readonly Use[] = ['idle', 'idle', 'type', 'type', 'flood', 'reconnect', 'takeOver', 'resize']

/** Resolves when all output of the program has arrived. */
const flood = async (channel: TerminalChannel): Promise<void> => {
  const done = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('a flood did not end')), FLOOD_WITHIN_MS)
    let tail = ''
    channel.onData((chunk) => {
      tail = (tail + chunk.subarray(-TAIL_BYTES).toString('latin1')).slice(-TAIL_BYTES)
      if (!tail.includes('flood-mark')) return
      clearTimeout(timer)
      resolve()
    })
  })
  channel.write(`yes 0123456789 | head -c ${FLOOD_BYTES}; printf 'flood-%s ' mark\r`)
  await done
  channel.onData(() => undefined)
}

const inGroups = async (sessions: readonly Soaked[], work: (session: Soaked) => Promise<void>): Promise<void> => {
  const waiting = [...sessions]
  const next = async (): Promise<void> => {
    for (let session = waiting.shift(); session; session = waiting.shift()) await work(session)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, next))
}

/**
 * Opens a terminal for each target, uses them for so many milliseconds, and ends them all. Answers how often each use
 * occurred.
 */
export const soak = async (targets: readonly TerminalTarget[], forMs: number): Promise<Used> => {
  const sessions = targets.map((target) => new Soaked(target))
  await inGroups(sessions, (session) => session.open())
  const used: Used = { idle: 0, type: 0, flood: 0, reconnect: 0, takeOver: 0, resize: 0 }
  const until = performance.now() + forMs
  const live = async (session: Soaked, use: Use): Promise<void> => {
    while (performance.now() < until) {
      await session.use(use)
      used[use] += 1
      await pause(RESTS_MS[use])
    }
  }
  await Promise.all(sessions.map((session, index) => live(session, USES[index % USES.length]!)))
  await inGroups(sessions, (session) => session.close())
  return used
}
