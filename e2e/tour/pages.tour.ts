/** Screenshots of every page and state, wide and narrow, dark and light, in `e2e/results/tour`. It checks nothing. */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { useBrowser } from '../support/pages.ts'
import { CHAPTERS } from '../walk/index.ts'
import { furnish, type FurnishedServer } from '../walk/place.ts'
import { type Look, SCREENS, type ScreenName, Visitor } from '../walk/visitor.ts'

const RESULTS = join(import.meta.dirname, '../results/tour')

useBrowser()
let place: FurnishedServer

beforeAll(async () => {
  // Screenshots of states that no longer exist would mislead.
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
