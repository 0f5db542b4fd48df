/** Collects the buffers of a stream before V8 does. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Collects the young generation after so many bytes. With 16 MiB V8 still begins collections of its own. */
const EVERY_BYTES = 2 ** 22

type Collect = (options: { readonly type: 'minor' }) => void

/**
 * V8 gives `gc` to contexts that are created while this flag is set. It stays set, because other threads ask for it at
 * the same time.
 */
const collector = (): Collect => {
  setFlagsFromString('--expose-gc')
  return (runInNewContext('globalThis.gc') as Collect | undefined) ?? (() => undefined)
}

let collect: Collect | null = null
let bytes = 0

/**
 * Call it with the size of each piece that this thread reads from a stream. V8 counts objects, and buffers are few but
 * large: it sees tens of megabytes of them as external pressure and then walks its whole heap. Under a flood of output
 * it did so three times a second, which took as much CPU as the rest of the server. Nearly all of these buffers are
 * dead, and collecting the young generation takes a millisecond.
 */
export const streamed = (length: number): void => {
  bytes += length
  if (bytes < EVERY_BYTES) return
  bytes = 0
  collect ??= collector()
  collect({ type: 'minor' })
}
