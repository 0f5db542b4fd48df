/**
 * Runs axe on every page and state, wide and dark, narrow and light: nothing serious, nothing critical. The short form has
 * some chapters, states take turns there, and states whose parts are in others are left out.
 */
import { inTurn, isLongForm } from '@slipway/testing/forms'
import type { Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { graveOn } from '../../support/page/axe.ts'
import { useBrowser } from '../../support/pages.ts'
import { CHAPTERS } from '../../walk/index.ts'
import { furnish, type FurnishedServer } from '../../walk/place.ts'
import { type Look, SCREENS, THEMES, type Theme, Visitor } from '../../walk/visitor.ts'

/** States with the same parts as another state. */
const KNOWN = new Set(['agents-search', 'agents-search-in-vain', 'delete-agent-typed', 'stopped-logs', 'failed-logs'])

/**
 * The chapters of the short form: their pages have no other test in it. On all other pages each test runs axe when it ends
 * (`support/pages.ts`).
 */
const SHORT_CHAPTERS: ReadonlySet<string> = new Set([
  'before the sign-in',
  'the page of the API',
  'the other pages of an agent',
  'the worktrees of an agent',
  'an agent in trouble',
  'tasks',
])

useBrowser()
let place: FurnishedServer

beforeAll(async () => {
  place = await furnish()
})
afterAll(() => place.clear())

const check = async (page: Page, where: string): Promise<void> => {
  // Soft, so that one state's violation does not hide another's.
  expect.soft(await graveOn(page), where).toEqual([])
}

/**
 * Each state is reached once. axe checks it wide and dark, or narrow and light; in the long form both. Most parts are in
 * several states.
 */
const look: Look = async (page, state, theme) => {
  if (KNOWN.has(state)) return
  if (theme === 'dark') return check(page, `${state}, wide, dark`)
  await page.setViewportSize(SCREENS.narrow.viewport)
  await check(page, `${state}, narrow, light`)
  await page.setViewportSize(SCREENS.wide.viewport)
}

const themes = (seen: number): readonly Theme[] => inTurn(THEMES, seen)

/** Longest time of a chapter on a busy machine, in milliseconds. */
const CHAPTER_MS = 600_000

describe('wide and dark or narrow and light, axe finds nothing grave in', { timeout: CHAPTER_MS }, () => {
  it.each(CHAPTERS.filter(([title]) => isLongForm || SHORT_CHAPTERS.has(title)))('%s', (_title, walk) =>
    walk(new Visitor('wide', look, { themes, hurries: !isLongForm }), place),
  )

  it('a terminal on a phone', async () => {
    const visitor = new Visitor('narrow', (page, state, theme) => check(page, `${state}, ${theme}`))
    const page = await visitor.open(place.owner, `/agents/${place.running.name}`)
    await page.getByTestId('key-bar').waitFor()
    await visitor.see(page, 'phone-terminal')
    await visitor.choose(page, 'rail-toggle')
    await page.getByRole('dialog').getByTestId('rail').waitFor()
    await visitor.see(page, 'phone-rail')
  })
})
