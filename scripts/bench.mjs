// `npm run bench`: every figure beside its limit.
import { measure } from './lib/measure.mjs'

const figures = process.argv.slice(2)
await measure('bench', ['main.ts'], { needsBrowser: figures.length === 0 || figures.includes('flood') })
