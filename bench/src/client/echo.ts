/** Measures the time from a key to its echo. */
import { type Channel, endsWith, pause } from './channel.ts'

/** Keys that are typed into one channel before the next channel's turn. */
const KEYS_IN_A_ROW = 20
const WARM_UP_KEYS = 100

/** Starts the simplest program that echoes. It has no line editor, and the terminal's own echo is off. */
const startEcho = async (channel: Channel): Promise<void> => {
  const ready = endsWith(channel, 'ready-mark')
  channel.write("stty raw -echo 2>/dev/null; printf 'ready-%s' mark; exec cat\n")
  await ready
}

const key = async (channel: Channel, restMs: number): Promise<number> => {
  if (restMs > 0) await pause(restMs)
  return new Promise((resolve) => {
    const started = performance.now()
    channel.onData(() => resolve(performance.now() - started))
    channel.write('x')
  })
}

/** Types into all channels in turns, and answers the milliseconds of every key. It waits `restMs` before each key. */
export const typeInTurns = async (channels: readonly Channel[], keys: number, restMs: number): Promise<number[][]> => {
  for (const channel of channels) {
    await startEcho(channel)
    for (let typed = 0; typed < WARM_UP_KEYS; typed++) await key(channel, restMs)
  }
  const samples: number[][] = channels.map(() => [])
  for (let typed = 0; typed < keys; typed += KEYS_IN_A_ROW)
    for (const [index, channel] of channels.entries())
      for (let row = 0; row < KEYS_IN_A_ROW; row++) samples[index]?.push(await key(channel, restMs))
  return samples
}
