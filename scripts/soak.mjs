// `npm run soak`: many terminals over half an hour, and what they leave behind.
import { measure } from './lib/measure.mjs'

await measure('soak', ['soak', 'main.ts'])
