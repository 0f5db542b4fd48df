import type { Page } from 'playwright'
import { expect } from 'vitest'

/** How often a page was loaded, by its user or by itself. */
export interface Loads {
  /** Takes what was counted until now as the start of the next count. */
  restart: () => void
  /** Expects exactly `times` loads since the start. */
  are: (times: number) => void
}

/** Counts the loads of `page` from now on. */
export const countLoads = (page: Page): Loads => {
  let loads = 0
  page.on('domcontentloaded', () => (loads += 1))
  return {
    restart: () => {
      loads = 0
    },
    are: (times) => expect(loads, 'loads of the page').toBe(times),
  }
}
