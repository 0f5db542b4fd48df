/** Tests the interception of requests, because other tests rely on it. */
// In the short form the tests that intercept requests fail where a request is not intercepted.
import '@slipway/testing/long'
import type { Page } from 'playwright'
import { beforeEach, describe, expect, it } from 'vitest'
import { intercept } from './intercept.ts'
import { answered, goTo, newContext, useBrowser } from '../pages.ts'

useBrowser()

const API = '*/api/auth/status'
let page: Page

beforeEach(async () => {
  const context = await newContext({ provoked: [answered(400), answered(503), /ERR_(FAILED|CONNECTION_RESET)/] })
  page = await context.newPage()
  await goTo(page, '/login')
  await page.getByTestId('login-form').waitFor()
})

/** The response that the page gets: status and body, or a network failure. */
const ask = (
  path = '/api/auth/status',
  init: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<string> =>
  page.evaluate(
    ([path, init]) =>
      fetch(path, init).then(
        async (answer) => `${answer.status} ${await answer.text()}`,
        () => 'lost',
      ),
    [path, init] as const,
  )

describe('requests that a test intercepts', () => {
  it('leave the cache of the browser on, also while they are those for its files', async () => {
    await intercept(page, ['*/api/*', '*/assets/*'], (request) => request.continue())
    const sizes = await page.evaluate(async () => {
      const src = performance.getEntriesByType('resource').find(({ name }) => name.endsWith('.js'))!.name
      const size = (): Promise<number> =>
        new Promise((resolve, reject) => {
          const observer = new PerformanceObserver((list) => {
            const [entry] = list.getEntriesByName(src) as PerformanceResourceTiming[]
            if (entry) resolve(entry.transferSize)
          })
          observer.observe({ type: 'resource' })
          fetch(src)
            .then((answer) => answer.text())
            .catch(reject)
        })
      return [await size(), await size()]
    })
    expect(sizes).toEqual([0, 0])
  })

  it('are given another answer, or none', async () => {
    const own = await ask()
    const other = await intercept(page, API, (request) => request.fulfill({ status: 503, json: { a: 'é' } }))
    expect(await ask()).toBe('503 {"a":"é"}')
    await other.stop()
    const lost = await intercept(page, API, (request) => request.abort('ConnectionReset'))
    expect(await ask()).toBe('lost')
    await lost.stop()
    expect(await ask()).toBe(own)
  })

  it('are given the answer of the server, changed or lost', async () => {
    const own = await ask()
    const bodies: string[] = []
    const changing = await intercept(page, API, async (request) => {
      const answer = await request.answer()
      bodies.push(`${answer.status} ${answer.body}`)
      await (bodies.length === 1 ? request.fulfill({ ...answer, body: 'another' }) : request.abort())
    })
    expect([await ask(), await ask(), bodies]).toEqual(['200 another', 'lost', [own, own]])
    await changing.stop()
  })

  it('reach the server changed', async () => {
    const form = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"email":"a@example.org"}' }
    await intercept(page, '*/api/auth/login', (request) => {
      const { email } = JSON.parse(request.body ?? '') as { email: string }
      return request.continue({ body: JSON.stringify({ email, password: 7 }) })
    })
    expect(await ask('/api/auth/login', form)).toContain('password')
    const own = await ask()
    await intercept(page, String.raw`*/api/nowhere\?*`, (request) =>
      request.continue({ url: new URL('/api/auth/status', request.url).href }),
    )
    expect(await ask('/api/nowhere?a=b')).toBe(own)
  })

  it('wait until they are let through', async () => {
    const held = await intercept(page, API, () => undefined)
    const asked = ask()
    expect(await ask('/api/providers')).toMatch(/^200 /)
    expect(await Promise.race([asked, ask('/api/providers').then(() => 'waits')])).toBe('waits')
    await held.stop()
    expect(await asked).toMatch(/^200 /)
  })

  it('are not more than the test said', async () => {
    await intercept(page, API, (request) => request.abort(), { times: 2 })
    expect([await ask(), await ask()]).toEqual(['lost', 'lost'])
    expect(await ask()).toMatch(/^200 /)
  })

  it('may be given up by the page', async () => {
    const { promise, resolve } = Promise.withResolvers<() => Promise<void>>()
    await intercept(page, API, (request) => resolve(() => request.fulfill({ json: {} })), { times: 1 })
    void page.evaluate(() => void fetch('/api/auth/status'))
    const late = await promise
    await goTo(page, '/')
    await late()
    await page.close()
    await late()
  })
})
