import type { Page } from 'playwright'
import { expect } from 'vitest'

/** How often a page was loaded, by its user or by itself. */
export interface Loads {
  /** Takes what was counted until now as the start of the next count. */
  restart: () => void
  /**
   * Expects `times` loads since the start. Each change of the network may add one: a new container causes it, and a
   * page that lost a part by it loads anew.
   */
  are: (times: number) => void
}

/** Counts the loads of `page` from now on. */
export const countLoads = (page: Page): Loads => {
  let loads = 0
  let changes = 0
  page.on('domcontentloaded', () => (loads += 1))
  page.on('requestfailed', (request) => {
    if (request.failure()?.errorText === 'net::ERR_NETWORK_CHANGED') changes += 1
  })
  return {
    restart: () => {
      loads = 0
      changes = 0
    },
    are: (times) => {
      expect(loads, 'loads of the page').toBeGreaterThanOrEqual(times)
      expect(loads, 'loads of the page').toBeLessThanOrEqual(times + changes)
    },
  }
}
