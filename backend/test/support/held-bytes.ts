import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** What this process holds in buffers and needs, in bytes. Freed buffers are swept a moment after they were collected. */
export const heldBytes = (): number => {
  collectGarbage()
  return process.memoryUsage().arrayBuffers
}
