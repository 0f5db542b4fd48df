import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/**
 * Bytes of the buffers that this process still uses. Buffers that are no longer used are freed a moment after the
 * collection.
 */
export const heldBytes = (): number => {
  collectGarbage()
  return process.memoryUsage().arrayBuffers
}
