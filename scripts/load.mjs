// `npm run load`: many people on one server, and what they leave behind.
import { runPrepared } from './lib/run-prepared.mjs'

await runPrepared('load', ['bench', 'src', 'load', 'main.ts'])
