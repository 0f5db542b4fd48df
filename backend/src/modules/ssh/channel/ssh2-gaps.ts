/**
 * Two things that ssh2 1.17 lacks, done with fields that it does not document. Tests with OpenSSH's client fail if a later
 * version changes them.
 */
import type { Connection, ServerChannel } from 'ssh2'

/** What a channel keeps of a write that had to wait for the client's window. */
interface WaitingWrites {
  _chunk?: Buffer | undefined
  _chunkcb?: (() => void) | undefined
  _chunkErr?: Buffer | undefined
  _chunkcbErr?: (() => void) | undefined
}

/**
 * Call it after each write to a channel that is done. ssh2 keeps the last write that had to wait, and sends it again when one of
 * the other output waits.
 */
export const forgetWaitingWrites = (channel: ServerChannel): void => {
  const waiting = channel as unknown as WaitingWrites
  waiting._chunk = undefined
  waiting._chunkcb = undefined
  waiting._chunkErr = undefined
  waiting._chunkcbErr = undefined
}

/** RFC 4254, 5.1. */
const ADMINISTRATIVELY_PROHIBITED = 1

interface Refusing {
  readonly _protocol: { channelOpenFail: (recipient: number, reason: number, description?: string) => void }
}

/** Refuses a channel with a sentence, which OpenSSH's client prints. ssh2's own refusal has none. */
export const refuseChannel = (client: Connection, reject: () => void, sentence: string): void => {
  const { _protocol: protocol } = client as unknown as Refusing
  const plain = protocol.channelOpenFail
  protocol.channelOpenFail = (recipient) => plain.call(protocol, recipient, ADMINISTRATIVELY_PROHIBITED, sentence)
  try {
    reject()
  } finally {
    protocol.channelOpenFail = plain
  }
}
