// `npm run picture`: films the README's moving picture again, from the real product.
import { inRoot } from './lib/paths.mjs'
import { runPrepared, withChromium } from './lib/run-prepared.mjs'
import { step } from './lib/steps.mjs'
import { ensureWebp } from './lib/set-up/webp-program.mjs'

const prepare = async () => {
  const browser = await withChromium()
  await step('WebP', (announce) => ensureWebp({ announce }))
  return browser
}

await runPrepared('picture', ['e2e', 'picture', 'main.ts'], {
  prepare,
  argv: [inRoot('docs', 'images', 'slipway.webp')],
})
