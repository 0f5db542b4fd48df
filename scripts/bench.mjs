// `npm run bench`: measures every figure and prints it beside its limit.
import { runPrepared, withChromium } from './lib/run-prepared.mjs'

const figures = process.argv.slice(2)
const IN_BROWSER = ['arrival', 'conversationPage', 'flood', 'folder', 'people', 'ports', 'taskPage']
const needsBrowser = figures.length === 0 || IN_BROWSER.some((name) => figures.includes(name))
await runPrepared('bench', ['bench', 'src', 'main.ts'], needsBrowser ? { prepare: withChromium } : {})
