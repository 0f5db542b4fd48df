/** Every page and state, wide and narrow, dark and light, as pictures in `e2e/results/tour`. Nothing is decided here. */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { useBrowser } from '../support/pages.ts'
import { CHAPTERS } from '../walk/index.ts'
import { furnish, type Place } from '../walk/place.ts'
import { type Look, SCREENS, type ScreenName, Visitor } from '../walk/visitor.ts'

const RESULTS = join(import.meta.dirname, '../results/tour')

useBrowser()
let place: Place

beforeAll(async () => {
  // What is left of a state that there is no more would be taken for one.
  rmSync(RESULTS, { recursive: true, force: true })
  mkdirSync(RESULTS, { recursive: true })
  place = await furnish()
})
afterAll(() => place.clear())

describe.each(Object.keys(SCREENS) as ScreenName[])('%s', (screen) => {
  const photograph: Look = async (page, state, theme) => {
    await page.screenshot({ path: join(RESULTS, `${state}-${screen}-${theme}.png`) })
  }
  const visitor = new Visitor(screen, photograph, { scrolls: true, webgl: true })
  it.each(CHAPTERS)('%s', (_title, walk) => walk(visitor, place))
})
