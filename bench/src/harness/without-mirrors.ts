/**
 * For `node --import`: a server whose sessions have no mirror, to measure what theirs costs. The product has no such switch, so
 * the module that makes them is replaced as it is loaded.
 */
import { existsSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

const MODULE = new URL('../../../backend/src/modules/terminal/screen/mirror/mirrors.ts', import.meta.url)
const SOURCE = `
export class Mirrors {
  open() {
    return { backlog: 0, output() {}, ended() {}, print: () => Promise.resolve(null) }
  }
  async close() {}
}`

// One that was moved must not be measured as if it were gone.
if (!existsSync(MODULE)) throw new Error(`there is no ${fileURLToPath(MODULE)}`)
registerHooks({
  load: (url, context, nextLoad) =>
    url === MODULE.href ? { format: 'module', source: SOURCE, shortCircuit: true } : nextLoad(url, context),
})
