/** How fast a file comes through. */
import { type Channel, endsWith, pause } from './channel.ts'

/** The markers are put together by the shell, so that the command line's own echo does not contain them. */
const BEGIN = 'begin-mark\r\n'
const END = 'end-mark'
/** For the shell to have printed its prompt and to be quiet. */
const SETTLE_MS = 400

export interface Transfer {
  readonly seconds: number
  /** As they came, which the caller compares with what they must be. */
  readonly bytes: number
}

/** `cat`s the file and measures from its first to its last byte, as they arrive. */
export const transfer = async (channel: Channel, file: string): Promise<Transfer> => {
  channel.onData(() => undefined)
  await pause(SETTLE_MS)
  // Nothing follows the end marker for a while, so that it ends the last chunk.
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
