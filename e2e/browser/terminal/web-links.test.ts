/** Web addresses in the output: what a click opens. */
// In the short form the tests of `frontend/src/terminal/links` have the ends of addresses and what a click opens, and
// `attacks.test.ts` clicks.
import '@slipway/testing/long'
import { longIt } from '@slipway/testing/forms'
import { beforeEach, describe, expect, it } from 'vitest'
import { answered, contextOf, goTo, useBrowser } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { useAgent } from '../../support/use-agent.ts'

useBrowser()
const its = useAgent({ runtime: 'bash', memoryMb: 512 })

let screen: Screen
let opened: string[]

beforeEach(async () => {
  // Nothing listens in the agent.
  const provoked = [/^request: https?:\/\/[^/]*example\.test\//, /^request: http:\/\/\d+--/, answered(502)]
  const context = await contextOf(its.owner, { provoked })
  opened = []
  const page = await context.newPage()
  await goTo(page, its.path)
  // No host of that name exists: a popup requests its page, and stays empty.
  context.on('request', (request) => {
    if (request.isNavigationRequest()) opened.push(request.url())
  })
  // A page that failed to load reloads when a network interface comes up.
  context.on('page', (popup) => void popup.close())
  screen = new Screen(page)
  await screen.shell()
})

const isLink = () =>
  screen.page.locator('.xterm-screen:visible').evaluate((element) => element.classList.contains('xterm-cursor-pointer'))

/** Prints lines and waits for the last of them. */
const print = async (...lines: readonly string[]): Promise<void> => {
  await screen.type(`clear; printf '%s\\n' ${lines.map((line) => `$'${line}'`).join(' ')} 'that is it'\n`)
  await screen.shows(/^that is it$/m)
}
const click = async (word: string): Promise<void> => {
  const { x, y } = await screen.spot(word)
  await screen.page.mouse.move(x, y)
  await expect.poll(isLink).toBe(true)
  await screen.page.mouse.dblclick(x, y)
}

describe('an address in the output', () => {
  it('ends where its reader sees it end, and a double click opens it once', async () => {
    await print('https://example.test/x（note）', 'https://example.test/y。次', '(https://example.test/wiki/A_(b)_c)')
    await click('test/x')
    await expect.poll(() => opened).toEqual(['https://example.test/x'])
    await click('test/y')
    await expect.poll(() => opened).toEqual(['https://example.test/x', 'https://example.test/y'])
    await click('_(b)_c')
    await expect.poll(() => opened[2]).toBe('https://example.test/wiki/A_(b)_c')
    expect(opened).toHaveLength(3)
  })

  // `frontend/src/terminal/links/ends.test.ts` has the end of each kind of address.
  longIt('is text behind its end', async () => {
    await print('https://example.test/x（note）')
    const { x, y } = await screen.spot('test/x')
    await screen.page.mouse.move(x, y)
    await expect.poll(isLink).toBe(true)
    const behind = await screen.spot('note')
    await screen.page.mouse.move(behind.x, behind.y)
    await expect.poll(isLink).toBe(false)
  })
})

describe('an address of the agent itself', () => {
  it('opens the port of the agent', async () => {
    await print('Local: http://localhost:5173/', 'http://[::1]:3000/x', 'http://127.0.0.2:8080')
    for (const [word, port, path] of [
      ['localhost', 5173, '/'],
      ['[::1]', 3000, '/x'],
      ['127.0.0.2', 8080, '/'],
    ] as const) {
      const [request] = await Promise.all([
        screen.page.waitForRequest((sent) => sent.url().endsWith(`${its.path}/ports/${port}/tickets`)),
        click(word),
      ])
      expect(request.postDataJSON()).toEqual({ path })
    }
  })

  it('is told to be that, and is not opened, where its server speaks https', async () => {
    await print('Local: https://localhost:5173/', 'https://example.test/z')
    await click('localhost')
    await screen.page.getByText("localhost:5173 is the agent's own address", { exact: true }).first().waitFor()
    // If an earlier click had opened a page, the list would contain it.
    await click('test/z')
    await expect.poll(() => opened).toEqual(['https://example.test/z'])
  })

  // `frontend/src/terminal/links/open.test.ts` has both kinds of links.
  longIt('is so where a program marked a word as a link to it', async () => {
    await print('\\e]8;;https://app.localhost:8080/\\e\\\\the app\\e]8;;\\e\\\\', 'https://example.test/z')
    await click('the app')
    await screen.page.getByText("app.localhost:8080 is the agent's own address", { exact: true }).first().waitFor()
    await click('test/z')
    await expect.poll(() => opened).toEqual(['https://example.test/z'])
  })
})
