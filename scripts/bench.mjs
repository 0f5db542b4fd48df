// `npm run bench`: every figure beside its limit.
import { measure } from './lib/measure.mjs'

await measure('bench', 'main.ts')
