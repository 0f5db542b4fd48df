// `npm run load`: many users on one server, and what is left afterwards.
import { runPrepared } from './lib/run-prepared.mjs'

await runPrepared('load', ['bench', 'src', 'load', 'main.ts'])
