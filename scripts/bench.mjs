// `npm run bench`: measures every figure and prints it beside its limit.
import { runPrepared, withChromium } from './lib/run-prepared.mjs'

const figures = process.argv.slice(2)
const needsBrowser = figures.length === 0 || ['flood', 'folder', 'ports'].some((name) => figures.includes(name))
await runPrepared('bench', ['bench', 'src', 'main.ts'], needsBrowser ? { prepare: withChromium } : {})
