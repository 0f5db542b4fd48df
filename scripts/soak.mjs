// `npm run soak`: many terminals over half an hour, and what they leave behind.
import { runPrepared } from './lib/run-prepared.mjs'

await runPrepared('soak', ['bench', 'src', 'soak', 'main.ts'])
