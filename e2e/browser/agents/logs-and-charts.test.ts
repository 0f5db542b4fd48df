/** An agent's log and its resource use: live, searchable, and accessible without seeing. */
import { longIt } from '@slipway/testing/forms'
import type { Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import { runIn } from '../../support/agent/in-agent.ts'
import { useBrowser, visit } from '../../support/pages.ts'
import { useAgent } from '../../support/use-agent.ts'

useBrowser()
const its = useAgent({ runtime: 'bash', memoryMb: 512 })

const run = (script: string): Promise<void> => runIn(its.agent.name, script)
const say = (text: string): Promise<void> => run(`printf '${text}\\n' >/proc/1/fd/1`)
const lines = (page: Page) => page.locator('[data-testid="logs"] .log-line')
const inView = (page: Page, text: string): Promise<boolean> =>
  page.locator('.log-view').evaluate((view, wanted) => {
    const { top, bottom } = view.getBoundingClientRect()
    const line = Array.from(view.querySelectorAll('.log-line')).findLast((each) => each.textContent.includes(wanted))
    const box = line?.getBoundingClientRect()
    return box !== undefined && box.top >= top - 1 && box.bottom <= bottom + 1
  }, text)

describe('logs', () => {
  it('tell what happened, and follow what is written, all of it as text', async () => {
    const page = await visit(its.owner, its.path)
    await page.getByTestId('tab-logs').click()
    await lines(page).filter({ hasText: 'Started.' }).waitFor()
    await page.getByTestId('log-hint').waitFor()
    await say('plain \\033[1;31mred\\033[0m <b>no tag</b> \\033]0;title\\007end')
    const line = lines(page).filter({ hasText: 'no tag' })
    await line.waitFor()
    expect(await line.locator('.log-text').textContent()).toBe('plain red <b>no tag</b> end')
    expect(await line.locator('b').count()).toBe(0)
    expect(await line.getByText('red').evaluate((piece) => getComputedStyle(piece).fontWeight)).toBe('700')
    expect(await page.title()).toContain(its.agent.name)
    // Events of the agent appear between lines of output.
    await lines(page)
      .filter({ hasText: `${its.owner.email} opened a terminal` })
      .waitFor()
  })

  it('follow the end until the user scrolls up, and say how much came since', async () => {
    const page = await visit(its.owner, `${its.path}/logs`)
    await run('for i in $(seq 300); do echo "number $i" >/proc/1/fd/1; done')
    await lines(page).filter({ hasText: 'number 300' }).waitFor()
    await expect.poll(() => inView(page, 'number 300')).toBe(true)
    await page.locator('.log-view').hover()
    const top = () => page.locator('.log-view').evaluate((view) => view.scrollTop)
    const end = await top()
    await page.mouse.wheel(0, -2000)
    await page.getByTestId('log-follow').waitFor()
    // The button appears before the scrolling has ended.
    await expect.poll(top).toBeCloseTo(end - 2000, 0)
    const before = await top()
    await say('one more')
    await page.getByTestId('log-follow').getByText('1 new line').waitFor()
    expect(await top()).toBe(before)
    await page.getByTestId('log-follow').click()
    await expect.poll(() => inView(page, 'one more')).toBe(true)
    await say('and another')
    await expect.poll(() => inView(page, 'and another')).toBe(true)
  })

  // The test before scrolls up further.
  longIt('stay where they are for a user who scrolls up a little', async () => {
    const page = await visit(its.owner, `${its.path}/logs`)
    await expect.poll(() => inView(page, 'and another')).toBe(true)
    const view = page.locator('.log-view')
    await view.hover()
    await page.mouse.wheel(0, -20)
    await page.getByTestId('log-follow').waitFor()
    await say('a little later')
    await page.getByTestId('log-follow').getByText('1 new line').waitFor()
    const isAtEnd = () => view.evaluate((each) => each.scrollTop + each.clientHeight >= each.scrollHeight - 1)
    expect(await isAtEnd()).toBe(false)
    await page.getByTestId('log-follow').click()
    await expect.poll(isAtEnd).toBe(true)
  })

  it('are searched, with the number of matches, by keys alone', async () => {
    await run('for i in $(seq 40); do echo "needle $i and Needle" >/proc/1/fd/1; echo straw >/proc/1/fd/1; done')
    const page = await visit(its.owner, `${its.path}/logs`)
    await lines(page).filter({ hasText: 'needle 40' }).waitFor()
    await page.keyboard.press('Control+f')
    await page.keyboard.type('needle')
    const count = page.getByTestId('log-count')
    await expect.poll(() => count.textContent()).toBe('80 of 80')
    await page.keyboard.press('Enter')
    await expect.poll(() => count.textContent()).toBe('79 of 80')
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.press('Shift+Enter')
    await expect.poll(() => count.textContent()).toBe('1 of 80')
    await expect.poll(() => inView(page, 'needle 1 and')).toBe(true)
    expect(await page.locator('.log-match-current').textContent()).toBe('needle')
    await page.getByTestId('log-search').fill('nowhere to be found')
    await expect.poll(() => count.textContent()).toBe('No matches')
    await page.keyboard.press('Escape')
    await count.waitFor({ state: 'detached' })
  })

  it('can be downloaded as a file', async () => {
    await say('to be saved')
    const page = await visit(its.owner, `${its.path}/logs`)
    await lines(page).filter({ hasText: 'to be saved' }).first().waitFor()
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByTestId('log-download').click()])
    expect(download.suggestedFilename()).toBe(`${its.agent.name}.log`)
    const stream = await download.createReadStream()
    let text = ''
    for await (const chunk of stream) text += String(chunk)
    expect(text).toMatch(/^\d{4}-\d{2}-\d{2}T\S+Z \* Creating container\.\n/)
    expect(text).toMatch(/Z to be saved\n/)
  })

  // Without a page: `backend/src/modules/agents/logs/logs.test.ts`, over a stop and in a flood.
  longIt('go on over a restart, keep a bound in a flood, and stay usable', async () => {
    const page = await visit(its.owner, `${its.path}/logs`)
    await lines(page).filter({ hasText: 'Started.' }).first().waitFor()
    await its.owner.ok('POST', `${its.path}/restart?wait=true`)
    await say('after the restart')
    await lines(page).filter({ hasText: 'after the restart' }).waitFor()
    await run(`yes flood | head -n 30000 >/proc/1/fd/1; echo dry >/proc/1/fd/1`)
    await lines(page).filter({ hasText: 'dry' }).waitFor()
    const drawn = Number(await page.locator('.log-view').getAttribute('data-lines'))
    expect(drawn).toBeLessThanOrEqual(5000)
    expect(drawn).toBeGreaterThan(4000)
    await expect.poll(() => inView(page, 'dry')).toBe(true)
  })
})

describe('figures over time', () => {
  it('are drawn, told in a sentence and given as a table, and grow while the page is open', async () => {
    await its.owner.ok('GET', `${its.path}/stats`)
    const page = await visit(its.owner, `${its.path}/overview`)
    const memory = page.getByTestId('chart-memory')
    const sentence = () => memory.getByRole('img').getAttribute('aria-label')
    await expect.poll(sentence).toMatch(/Memory: now [\d.]+ [KM]iB, between/)
    // All charts but memory show differences of two samples, so they appear with the second sample.
    for (const id of ['cpu', 'memory', 'network', 'disk'])
      await expect.poll(() => page.getByTestId(`chart-${id}`).locator('canvas').count()).toBe(1)
    // The chart is not empty.
    const inked = await memory.locator('canvas').evaluate((element) => {
      const canvas = element as HTMLCanvasElement
      const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height)
      return data.filter((_, index) => index % 4 === 3).some((alpha) => alpha > 0)
    })
    expect(inked).toBe(true)
    await page.getByTestId('usage-as-table').click()
    const rows = page.getByTestId('usage-table').locator('tbody tr')
    await rows.first().waitFor()
    const first = await rows.count()
    await expect.poll(() => rows.count()).toBeGreaterThan(first)
    await page.getByTestId('usage-span-1440').click()
    await page.getByTestId('usage-table').waitFor()
  })
})
