// `npm run load`: many people on one server, and what they leave behind.
import { measure } from './lib/measure.mjs'

await measure('load', ['load', 'main.ts'])
