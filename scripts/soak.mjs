// `npm run soak`: many terminals for half an hour, and what is left afterwards.
import { runPrepared } from './lib/run-prepared.mjs'

await runPrepared('soak', ['bench', 'src', 'soak', 'main.ts'])
