/**
 * For `node --import`: a server whose sessions have no mirror, to measure the cost of mirrors. The product has no such
 * switch, so this replaces the module that makes them while it is loaded.
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

// If the module was moved, the measurement must fail.
if (!existsSync(MODULE)) throw new Error(`there is no ${fileURLToPath(MODULE)}`)
registerHooks({
  load: (url, context, nextLoad) =>
    url === MODULE.href ? { format: 'module', source: SOURCE, shortCircuit: true } : nextLoad(url, context),
})
