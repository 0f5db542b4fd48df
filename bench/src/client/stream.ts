/** Terminals that stream output at the same time. */
import type { Channel } from './channel.ts'
import { pause } from './channel.ts'
import { openTerminal, type TerminalTarget } from './terminal.ts'

/** How many are opened at once. */
const AT_ONCE = 8
/** Time in which all of them reach their pace, in milliseconds. */
const SETTLE_MS = 5_000

export interface Streamed {
  readonly seconds: number
  /** Bytes of each terminal. */
  readonly bytes: readonly number[]
}

let streaming: { readonly channel: Channel; bytes: number }[] = []

/** Opens a terminal for each target, types the line into each, and waits until all have reached their pace. */
export const startStreams = async (targets: readonly TerminalTarget[], line: string): Promise<void> => {
  const waiting = [...targets]
  const work = async (): Promise<void> => {
    for (let target = waiting.shift(); target; target = waiting.shift()) {
      const stream = { channel: await openTerminal(target), bytes: 0 }
      stream.channel.onData((chunk) => (stream.bytes += chunk.length))
      stream.channel.write(`${line}\r`)
      streaming.push(stream)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  await pause(SETTLE_MS)
}

/** Counts the bytes of each terminal for so long. */
export const countStreams = async (forMs: number): Promise<Streamed> => {
  const before = streaming.map(({ bytes }) => bytes)
  const started = performance.now()
  await pause(forMs)
  const seconds = (performance.now() - started) / 1000
  return { seconds, bytes: streaming.map(({ bytes }, index) => bytes - before[index]!) }
}

export const stopStreams = async (): Promise<void> => {
  await Promise.all(streaming.map(({ channel }) => channel.close()))
  streaming = []
}
