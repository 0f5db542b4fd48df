/** A page on another origin, open in a signed-in user's browser, can read nothing and change nothing. */
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { until } from '@slipway/testing'
import { combined, inTurn } from '@slipway/testing/forms'
import type { BrowserContext, Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type Execs, watchExecs } from '../../support/agent/execs.ts'
import { newUser, passwordOf, signInAdmin } from '../../support/api.ts'
import { intercept } from '../../support/network/intercept.ts'
import { contextOf, goTo, newContext, reload, useBrowser } from '../../support/pages.ts'
import { useAgent } from '../../support/use-agent.ts'
import { REFRESH_KEY_HEADER } from '@slipway/protocol'

useBrowser()
const baseUrl = inject('baseUrl')
const { port } = new URL(baseUrl)
/**
 * Same site as the server but another origin, because ports do not count for a site. The browser sends even a
 * `SameSite` cookie there.
 */
let sameSite: Server
/** Cookies that this server received. It also sets one. */
const received: string[] = []
let planted: string | null = null
const its = useAgent({ runtime: 'bash', memoryMb: 512 })
let execs: Execs

beforeAll(async () => {
  sameSite = createServer((request, response) => {
    received.push(request.headers.cookie ?? '')
    response.setHeader('content-type', 'text/html')
    if (planted !== null) response.setHeader('set-cookie', `${planted}; Path=/api/auth; HttpOnly`)
    response.end('<!doctype html><title>hostile</title>')
  })
  await new Promise<void>((resolve) => sameSite.listen(0, resolve))
  execs = await watchExecs(its)
})
afterAll(async () => {
  execs.stop()
  await new Promise((resolve) => sameSite.close(resolve))
})

/** The refusals write any message into the console. */
const PROVOKED = [/./]
const ownersBrowser = (): Promise<BrowserContext> => contextOf(its.owner, { provoked: PROVOKED })
/** A page of `host`, in the browser in which the owner is signed in. */
const hostilePage = async (host: string, context?: BrowserContext): Promise<Page> => {
  const page = await (context ?? (await ownersBrowser())).newPage()
  await goTo(page, `http://${host}:${(sameSite.address() as AddressInfo).port}/`)
  expect(await page.title()).toBe('hostile')
  return page
}

/** `127.0.0.1` is the same site as the server and gets the cookie; `localhost` is another site. */
const HOSTS = ['127.0.0.1', 'localhost']

describe('a hostile page, a rebound name: another origin', () => {
  it.each(combined(HOSTS, ['agents/NAME/terminal?mode=bash', 'system-agent/terminal', 'events']))(
    'on %s opens no WebSocket to %s',
    async (host, path) => {
      const page = await hostilePage(host)
      const before = await execs.count()
      const url = `${baseUrl.replace('http', 'ws')}/api/${path.replace('NAME', its.agent.name)}`
      const told = await page.evaluate(
        ([url, token]) =>
          new Promise((resolve) => {
            const socket = new WebSocket(url!)
            // Even with a token, which no page of another origin has.
            socket.onopen = () => socket.send(JSON.stringify({ type: 'auth', token }))
            socket.onmessage = () => resolve('heard something')
            socket.onclose = ({ code }) => resolve(code)
          }),
        [url, its.owner.token],
      )
      // The code that a browser reports for a refused upgrade.
      expect(told).toBe(1006)
      expect(await execs.count()).toBe(before)
    },
  )

  // In the short form on the same site, which gets the cookie.
  it.each(inTurn(HOSTS, 0))(
    'on %s neither signs in, nor renews, nor signs out with the cookie of the person',
    async (host) => {
      const context = await ownersBrowser()
      const own = await context.newPage()
      await goTo(own, '/account')
      const page = await hostilePage(host, context)
      // By now the page has renewed its sign-in, which changes the cookie. From here on the cookie must not change.
      await own.getByText(its.owner.email).first().waitFor()
      const cookies = await context.cookies(`${baseUrl}/api/auth/refresh`)
      expect(cookies).toHaveLength(1)
      const attempts = [
        ['auth/refresh', ''],
        ['auth/logout', ''],
        ['auth/login', JSON.stringify({ email: its.owner.email, password: 'x' })],
      ]
      for (const [path, body] of attempts) {
        const url = `${baseUrl}/api/${path}`
        // Without CORS a page may send such "simple" requests. It only cannot read the response.
        for (const type of ['text/plain', 'application/x-www-form-urlencoded'])
          await page.evaluate(
            async ([url, body, type]) => {
              const init: RequestInit = { method: 'POST', mode: 'no-cors', credentials: 'include', body: body! }
              // Throws if the response is forbidden to other origins. The request was sent anyway.
              await fetch(url!, { ...init, headers: { 'content-type': type! } }).catch(() => undefined)
            },
            [url, body, type],
          )
        await page.evaluate((url) => {
          const form = Object.assign(document.createElement('form'), { action: url, method: 'post', target: 'frame' })
          const frame = Object.assign(document.createElement('iframe'), { name: 'frame' })
          document.body.append(form, frame)
          form.submit()
        }, url)
      }
      // The user's own page still has the same cookie and works.
      expect(await context.cookies(`${baseUrl}/api/auth/refresh`)).toEqual(cookies)
      await reload(own)
      await own.getByText(its.owner.email).first().waitFor()
    },
  )

  it.each(combined(HOSTS, ['agents', 'users/me', 'auth/status']))(
    'on %s cannot read what the API answers at %s',
    async (host, path) => {
      const page = await hostilePage(host)
      const read = await page.evaluate(
        async ([url, token]) => {
          const ways: RequestInit[] = [{ credentials: 'include' }, { headers: { authorization: `Bearer ${token}` } }]
          return Promise.all(
            ways.map((init) =>
              fetch(url!, init).then(
                () => 'read',
                () => 'refused',
              ),
            ),
          )
        },
        [`${baseUrl}/api/${path}`, its.owner.token],
      )
      expect(read).toEqual(['refused', 'refused'])
    },
  )

  it.each(combined(HOSTS, ['/', `/agents/`, '/docs']))(
    'on %s cannot frame %s, to have it clicked on unseen',
    async (host, path) => {
      const page = await hostilePage(host)
      const url = path === '/agents/' ? `${baseUrl}${its.path}` : `${baseUrl}${path}`
      await page.evaluate((src) => {
        document.body.append(Object.assign(document.createElement('iframe'), { src }))
      }, url)
      const frame = await until('the frame', () => page.frames()[1])
      // Chromium replaces a page that refuses to be framed with an error page.
      await until('the refusal', () => frame.url().startsWith('chrome-error:'))
    },
  )

  it.each(inTurn(HOSTS, 1))('on %s has no handle on the window that it opens', async (host) => {
    const page = await hostilePage(host)
    const opened = page.context().waitForEvent('page')
    const handle = await page.evaluateHandle((url) => window.open(url), baseUrl)
    await (await opened).waitForLoadState()
    const access = await page.evaluate((other) => {
      try {
        return String(other?.document.title)
      } catch {
        return 'refused'
      }
    }, handle)
    expect(['refused', 'undefined', '']).toContain(access)
  })
})

describe('a hostile page, a rebound name: one of the attacker’s that leads to the server', () => {
  /** One request as the browser would send it, with the name in the Host header. */
  const rebound = (path: string, headers: Record<string, string>): Promise<number> =>
    new Promise((resolve, reject) => {
      const host = `rebound.example:${port}`
      const sent = request(`${baseUrl}${path}`, { headers: { ...headers, host } }, (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      })
      sent.on('upgrade', (_response, socket) => {
        socket.destroy()
        resolve(101)
      })
      // A refused upgrade may be reset before its response is read.
      sent.on('error', (error: NodeJS.ErrnoException) => (error.code === 'ECONNRESET' ? resolve(403) : reject(error)))
      sent.end()
    })

  it('opens no WebSocket, since its page has another origin', async () => {
    const before = await execs.count()
    const upgrade = {
      connection: 'upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      origin: `http://rebound.example:${port}`,
    }
    for (const path of [`/api${its.path}/terminal`, '/api/events']) expect(await rebound(path, upgrade)).toBe(403)
    expect(await execs.count()).toBe(before)
  })

  it('has neither cookie nor token of the user there, and so is not signed in', async () => {
    expect(await rebound('/api/agents', { origin: `http://rebound.example:${port}` })).toBe(401)
  })
})

describe('a link that leads to another site after a sign-in', () => {
  it('stays on the site, also where a part of the page is lost', async () => {
    // The test needs lost files, so the page must not preload them.
    const page = await (await newContext({ provoked: PROVOKED, preloads: false })).newPage()
    await goTo(page, '/login?next=/%09/evil.example/x')
    await page.getByTestId('login-form').waitFor()
    // From now on the server refuses files of the page, until the page navigates to its address again.
    const arrivals: string[] = []
    page.on('request', (request) => {
      if (request.isNavigationRequest()) arrivals.push(new URL(request.url()).origin)
    })
    await intercept(page, '*/assets/*.js', (request) =>
      arrivals.length === 0 ? request.fulfill({ status: 404 }) : request.continue(),
    )
    await page.getByLabel('E-mail').fill(its.owner.email)
    await page.getByLabel('Password', { exact: true }).fill(passwordOf(its.owner))
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByTestId(`agent-row-${its.agent.name}`).waitFor()
    expect([...new Set(arrivals)]).toEqual([baseUrl])
  })
})

describe('a server on another port of the same host', () => {
  const theirs = (): string => `http://127.0.0.1:${(sameSite.address() as AddressInfo).port}/api/auth/`
  const renew = (headers: Record<string, string>) =>
    fetch(`${baseUrl}/api/auth/refresh`, { method: 'POST', headers }).then(
      (answer) => answer.json() as Promise<unknown>,
    )

  it('gets the refresh cookie, and signs in with it nowhere', async () => {
    const context = await ownersBrowser()
    const own = await context.newPage()
    await goTo(own, '/account')
    await own.getByText(its.owner.email).first().waitFor()
    await goTo(await context.newPage(), theirs())
    const cookie = received.findLast((one) => one.includes('slipway_refresh=')) ?? ''
    expect(cookie).toMatch(/slipway_refresh=.{40}/)
    const key = String(await own.evaluate(() => localStorage.getItem('slipway-refresh-key')))
    expect(key).toHaveLength(43)
    for (const headers of [{ cookie }, { cookie, [REFRESH_KEY_HEADER]: 'x' }, { [REFRESH_KEY_HEADER]: key }])
      expect(await renew(headers)).toMatchObject({ statusCode: 401, code: 'INVALID_REFRESH' })
    // The attempts have ended no sign-in, in any tab.
    const tab = await context.newPage()
    await Promise.all([reload(own), goTo(tab, '/account')])
    for (const page of [own, tab]) await page.getByText(its.owner.email).first().waitFor()
  })

  it('puts a cookie of its own there, and its victim is not signed in', async () => {
    const context = await ownersBrowser()
    const own = await context.newPage()
    await goTo(own, '/account')
    await own.getByText(its.owner.email).first().waitFor()
    const attacker = await newUser(await signInAdmin())
    const body = JSON.stringify({ email: attacker.email, password: passwordOf(attacker) })
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${baseUrl}/api/auth/login`, { method: 'POST', headers, body })
    planted = answer.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    try {
      await goTo(await context.newPage(), theirs())
    } finally {
      planted = null
    }
    await reload(own)
    await own.getByLabel('E-mail').waitFor()
    expect(await own.locator('body').innerText()).not.toContain(attacker.email)
    // The user can sign in again.
    await own.getByLabel('E-mail').fill(its.owner.email)
    await own.getByLabel('Password', { exact: true }).fill(passwordOf(its.owner))
    await own.getByRole('button', { name: 'Sign in' }).click()
    await own.getByText(its.owner.email).first().waitFor()
  })

  it('leaves a user signed out whose browser has lost its storage, and not its cookie', async () => {
    const context = await ownersBrowser()
    const own = await context.newPage()
    await goTo(own, '/account')
    await own.getByText(its.owner.email).first().waitFor()
    await own.evaluate(() => localStorage.clear())
    await reload(own)
    await own.getByLabel('E-mail').waitFor()
    expect(await context.cookies(`${baseUrl}/api/auth/refresh`)).toHaveLength(1)
  })
})
