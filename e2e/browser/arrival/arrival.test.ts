/** A page of which a file is lost on the way from the server. */
import type { Agent } from '@slipway/protocol'
import { longIt } from '@slipway/testing/forms'
import type { BrowserContext } from 'playwright'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin, uniqueName } from '../../support/api.ts'
import { intercept } from '../../support/network/intercept.ts'
import { countLoads } from '../../support/network/loads.ts'
import { Tunnels } from '../../support/network/losing.ts'
import { contextOf, goTo, reload, useBrowser } from '../../support/pages.ts'

useBrowser()
let user: Client
beforeAll(async () => {
  user = await newUser(await signInAdmin())
})

/**
 * A context in which the first `times` requests that match `pattern` end with a reset. The page asks four times, and a
 * busy machine loses some of these by itself, so a test that expects the file loses it once. A Playwright route would switch
 * off the browser's cache, which this test needs.
 */
const losing = async (pattern: RegExp, times: number): Promise<{ context: BrowserContext; lost: () => number }> => {
  const tunnels = await Tunnels.open()
  let lost = 0
  tunnels.become((path) => {
    if (lost >= times || !pattern.test(path)) return null
    lost += 1
    return 'reset'
  })
  const provoked = [/ERR_FAILED|ERR_CONNECTION_RESET/]
  const context = await contextOf(user, { provoked, proxy: { server: tunnels.url } })
  return { context, lost: () => lost }
}

describe('a page whose parts are lost on the way', () => {
  it('has its looks all the same', async () => {
    const { context, lost } = await losing(/\/assets\/index-[^/]*\.css$/, 1)
    const page = await context.newPage()
    await goTo(page, '/')
    await page.getByText('No agents yet.').first().waitFor()
    // Only the style sheet places the rail beside the page.
    const isBeside = () =>
      page.evaluate(() => {
        const main = document.querySelector('main')!.getBoundingClientRect()
        return main.left > 100 && main.top < 10
      })
    await expect.poll(isBeside).toBe(true)
    expect(lost()).toBe(1)
  })

  it('comes without being asked for again', async () => {
    const { context, lost } = await losing(/\/assets\/index-[^/]*\.js$/, 1)
    const page = await context.newPage()
    const loads = countLoads(page)
    await goTo(page, '/')
    await page.getByText('No agents yet.').first().waitFor()
    expect(lost()).toBe(1)
    loads.are(1)
  })

  // The tests before lose a file less often, and `torn-page.test.ts` has a page that says what is lost.
  longIt('says what to do where nothing helps, and tries as often as before when it is reloaded', async () => {
    const { context, lost } = await losing(/\/assets\/index-[^/]*\.js$/, 5)
    const page = await context.newPage()
    await goTo(page, '/')
    await page.getByText('Slipway did not load completely.').waitFor()
    expect(lost()).toBe(4)
    await reload(page)
    await page.getByText('No agents yet.').first().waitFor()
    expect(lost()).toBe(5)
  })
})

describe('a press whose answer is lost on the way', () => {
  it('makes one agent, and says nothing of it', async () => {
    const page = await (await contextOf(user, { provoked: [/ERR_FAILED/] })).newPage()
    await goTo(page, '/')
    // The name that the form proposes may be another test's.
    const name = uniqueName()
    await page.getByTestId('agent-form-name').fill(name)
    const answers: number[] = []
    await intercept(page, '*/api/agents', async (request) => {
      const answer = await request.answer()
      answers.push(answer.status)
      await (answers.length === 1 ? request.abort() : request.fulfill(answer))
    })
    await page.getByTestId('agent-form-submit').click()
    await expect.poll(() => answers).toEqual([201, 201])
    await page.waitForURL(`**/agents/${name}`)
    const { items } = await user.ok<{ items: Agent[] }>('GET', '/agents')
    await user.ok('DELETE', `/agents/${name}`)
    expect(items.map((agent) => agent.name)).toEqual([name])
  })
})
