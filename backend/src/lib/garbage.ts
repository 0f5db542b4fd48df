/** Buffers that come and go by the megabyte. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** After so many bytes the young ones are collected. With 16 MiB V8 still begins collections of its own. */
const EVERY_BYTES = 2 ** 22

type Collect = (options: { readonly type: 'minor' }) => void

/** V8 gives it to contexts that are made while this is set, which it stays: other threads ask for it at the same time. */
const collector = (): Collect => {
  setFlagsFromString('--expose-gc')
  return (runInNewContext('globalThis.gc') as Collect | undefined) ?? (() => undefined)
}

let collect: Collect | null = null
let bytes = 0

/**
 * To be told of the size of each piece of a stream that this thread was given. V8 collects young objects when there are many, and
 * buffers are few: tens of megabytes of them are pressure from outside to it, and it looks through its whole heap for them, three
 * times a second under a flood of output, in threads that took as much of the processor as all the rest of the server. All
 * but the newest are dead; collecting the young ones alone takes a millisecond.
 */
export const streamed = (length: number): void => {
  bytes += length
  if (bytes < EVERY_BYTES) return
  bytes = 0
  collect ??= collector()
  collect({ type: 'minor' })
}
