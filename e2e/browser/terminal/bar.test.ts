/** The bar of a terminal's controls, at widths at which it shares the tabs' line and at which it does not. */
// In the short form `returning/leave-and-return.test.ts` has each control in its place at the usual width, and
// `pages/phone.test.ts` on a phone.
import '@slipway/testing/long'
import type { Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import { useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { useAgent } from '../../support/use-agent.ts'

useBrowser()
// The longest label of all, and a mark in the bar.
const its = useAgent({ runtime: 'copilot', record: true })

/** Controls that are misplaced: beyond the window's edge, cut off, or over another part. */
const misplaced = (page: Page): Promise<string[]> =>
  page.getByRole('toolbar', { name: 'Terminal' }).evaluate((bar) => {
    const boxes = [...bar.children].map((part) => ({ part, box: part.getBoundingClientRect() }))
    const seen = boxes.filter(({ box }) => box.width > 0)
    const tabs = document.querySelector('nav[aria-label$=": pages"]')?.getBoundingClientRect()
    return seen.flatMap(({ part, box }, at) => {
      const before = seen[at - 1]?.box
      const isOver =
        (before !== undefined && box.left < before.right - 1) ||
        (tabs !== undefined && box.top < tabs.bottom && box.left < tabs.right - 1)
      return box.right > innerWidth || isOver ? [part.outerHTML.slice(0, 80)] : []
    })
  })

/** From this width on, all tabs of the agent's page are in sight. */
const ALL_TABS_FROM = 1280
/** How far the tabs of the agent's page can be scrolled, in pixels. */
const hiddenTabs = (page: Page): Promise<number> =>
  page.locator('nav[aria-label$=": pages"]').evaluate((nav) => nav.scrollWidth - nav.clientWidth)

describe('the controls of a terminal', () => {
  it('fit their line at every width, and leave room for all tabs of the page on a laptop', async () => {
    const page = await visit(its.owner, its.path)
    await new Screen(page).is('connected')
    await page.getByTestId('terminal-recorded').waitFor()
    for (const width of [
      390, 640, 768, 800, 1023, 1024, 1100, 1200, 1279, 1280, 1366, 1440, 1499, 1500, 1535, 1536, 1920,
    ]) {
      await page.setViewportSize({ width, height: 800 })
      await expect.poll(() => misplaced(page), { message: `at ${width} pixels` }).toEqual([])
      if (width >= ALL_TABS_FROM) await expect.poll(() => hiddenTabs(page), { message: `at ${width} pixels` }).toBe(0)
    }
  })
})
