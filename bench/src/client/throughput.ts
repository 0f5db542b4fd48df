/** Measures how fast a file arrives. */
import { type Channel, endsWith, pause } from './channel.ts'

/** The shell assembles the markers, so the echo of the command line does not contain them. */
const BEGIN = 'begin-mark\r\n'
const END = 'end-mark'
/** Time in which the shell has printed its prompt and is quiet, in milliseconds. */
const SETTLE_MS = 400

export interface Transfer {
  readonly seconds: number
  /** Received bytes. The caller compares them with the expected number. */
  readonly bytes: number
}

/** Runs `cat` on the file. Measures from the arrival of the first byte to that of the last. */
export const transfer = async (channel: Channel, file: string): Promise<Transfer> => {
  channel.onData(() => undefined)
  await pause(SETTLE_MS)
  // Nothing follows the end marker for a while, so the marker ends the last chunk.
  channel.write("stty -echo; printf 'ready-%s' mark; read -r; printf 'begin-%s\\n' mark; ")
  const ready = endsWith(channel, 'ready-mark')
  channel.write(`cat ${file}; printf 'end-%s' mark; sleep 1\r`)
  await ready
  const received = receive(channel)
  channel.write('\r')
  return received
}

const receive = (channel: Channel): Promise<Transfer> =>
  new Promise((resolve) => {
    const started = performance.now()
    const wanted = Buffer.from(END)
    let bytes = 0
    let tail: Buffer = Buffer.alloc(0)
    channel.onData((chunk) => {
      bytes += chunk.length
      tail =
        chunk.length < wanted.length
          ? Buffer.concat([tail, chunk]).subarray(-wanted.length)
          : chunk.subarray(-wanted.length)
      if (!tail.equals(wanted)) return
      resolve({ seconds: (performance.now() - started) / 1000, bytes: bytes - BEGIN.length - END.length })
    })
  })
