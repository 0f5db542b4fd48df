/** A hostile app of an agent, open in the browser in which its user is signed in to Slipway. */
import { readFileSync } from 'node:fs'
import { until } from '@slipway/testing'
import type { PortTicket } from '@slipway/protocol'
import type { BrowserContext, Page } from 'playwright'
import { beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { type Execs, watchExecs } from '../../support/agent/execs.ts'
import { runIn } from '../../support/agent/in-agent.ts'
import { contextOf, goTo, useBrowser } from '../../support/pages.ts'
import { openPort } from '../../support/port-browser.ts'
import { useAgent } from '../../support/use-agent.ts'

const PORT = 5180
const NEIGHBOUR = 5181
const APP = readFileSync(new URL('../../support/agent/hostile-app.mjs', import.meta.url))
const baseUrl = inject('baseUrl')
/** The other address of the server, whose cookies an app below localhost is nearest to. */
const localUrl = `http://slipway.localhost:${new URL(baseUrl).port}`

useBrowser()
const its = useAgent({ runtime: 'bash' })
let context: BrowserContext
/** The app, in a tab. */
let app: Page

const ticketOf = async (port: number): Promise<string> =>
  (await its.owner.ok<PortTicket>('POST', `${its.path}/ports/${port}/tickets`, {})).url

beforeAll(async () => {
  await its.owner.upload(its.agent.name, 'hostile.mjs', APP)
  for (const port of [PORT, NEIGHBOUR]) {
    await runIn(its.agent.name, `setsid -f node hostile.mjs ${port} >/dev/null 2>&1`)
    const browser = await openPort(its.owner, its.path, port)
    await until('the app', async () => (await browser.get('/')).status === 200)
  }
})
beforeEach(async () => {
  // The browser says in the console what it refuses.
  context = await contextOf(its.owner, { provoked: [/./] })
  app = await context.newPage()
  await goTo(app, await ticketOf(PORT))
  await app.getByText('hostile').waitFor()
})

const frame = async (src: string): Promise<void> => {
  const before = app.frames().length
  await app.evaluate((address) => {
    document.body.append(Object.assign(document.createElement('iframe'), { src: address }))
  }, src)
  const framed = await until('the frame', () => app.frames()[before])
  // Chromium shows an error page in place of a page that refuses to be framed.
  await until('the refusal', () => framed.url().startsWith('chrome-error:'))
}

describe('a hostile app in an agent: framing', () => {
  it('shows neither Slipway nor the app of another port in a frame', async () => {
    // The browser has a right to the other app.
    const other = await context.newPage()
    await goTo(other, await ticketOf(NEIGHBOUR))
    await other.getByText('hostile').waitFor()
    for (const url of [baseUrl, `${localUrl}${its.path}`, new URL('/', other.url()).href]) await frame(url)
  })
})

describe('a hostile app in an agent: cookie tossing', () => {
  it('sets no cookie of Slipway or of another port, and cannot read or replace its own right', async () => {
    const before = await context.cookies()
    const right = before.find(({ name }) => name === 'slipway_port')!
    expect(right).toMatchObject({ domain: new URL(app.url()).hostname, httpOnly: true, sameSite: 'Lax' })
    const readable = await app.evaluate(() => {
      const { hostname } = location
      for (const domain of ['', 'localhost', hostname, hostname.slice(hostname.indexOf('--') + 2), '127.0.0.1'])
        for (const name of ['slipway_refresh', 'slipway_port', '__Host-slipway_port'])
          for (const path of ['/', '/api/auth'])
            document.cookie = `${name}=tossed; path=${path}${domain === '' ? '' : `; domain=${domain}`}`
      return document.cookie
    })
    expect(readable).not.toContain(right.value)
    const neighbour = app.url().replace(`${PORT}--`, `${NEIGHBOUR}--`)
    const after = await context.cookies([`${baseUrl}/api/auth`, `${localUrl}/api/auth`, neighbour])
    expect(after).toEqual(before.filter(({ domain }) => domain === '127.0.0.1'))
    expect(await context.cookies(app.url())).toContainEqual(right)
    await app.reload()
    await app.getByText('hostile').waitFor()
  })
})

describe('a hostile app in an agent: a service worker', () => {
  it('sees its own origin alone, and a ticket that it reads opens this port alone, once', async () => {
    await app.evaluate(async () => {
      await navigator.serviceWorker.register('/worker.js', { scope: '/' })
      await navigator.serviceWorker.ready
      if (!navigator.serviceWorker.controller)
        await new Promise((resolve) =>
          navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true }),
        )
    })
    const slipway = await context.newPage()
    const neighbour = await context.newPage()
    await goTo(slipway, '/login')
    await goTo(neighbour, await ticketOf(NEIGHBOUR))
    const ticket = await ticketOf(PORT)
    await goTo(app, ticket)
    await app.getByText('hostile').waitFor()
    for (const page of [slipway, neighbour])
      expect(await page.evaluate(() => navigator.serviceWorker.controller?.scriptURL ?? '')).not.toContain('worker.js')
    const seen = await app.evaluate(async () => (await (await fetch('/seen')).json()) as string[])
    const { origin } = new URL(app.url())
    expect(seen.filter((url) => new URL(url).origin !== origin)).toEqual([])
    expect(seen).toContain(ticket)
    // It was exchanged by then. Before, it would have opened no other host.
    expect((await app.goto(ticket))?.status()).toBe(401)
    const fresh = await ticketOf(PORT)
    expect((await neighbour.goto(fresh.replace(`${PORT}--`, `${NEIGHBOUR}--`)))?.status()).toBe(401)
  })
})

describe('a hostile app in an agent: redirect to the platform', () => {
  it('takes no cookie of Slipway along, and reads no answer', async () => {
    // The user has signed in at this name, too. An address with 127.0.0.1 would be that of a port of the agent.
    const [cookie] = await context.cookies(`${baseUrl}/api/auth/refresh`)
    await context.addCookies([{ ...cookie!, domain: new URL(localUrl).hostname }])
    expect(await context.cookies(`${localUrl}/api/auth/refresh`)).toHaveLength(1)
    const sent: Promise<Record<string, string>>[] = []
    context.on('request', (request) => {
      if (request.url().startsWith(`${localUrl}/api/`)) sent.push(request.allHeaders())
    })
    const read = await app.evaluate(
      (url) =>
        fetch(`/to?url=${encodeURIComponent(url)}`, { credentials: 'include' }).then(
          () => 'read',
          () => 'refused',
        ),
      `${localUrl}/api/auth/status`,
    )
    expect(read).toBe('refused')
    await app.evaluate((url) => location.assign(`/to?url=${encodeURIComponent(url)}`), `${localUrl}/api/auth/refresh`)
    await app.waitForURL(`${localUrl}/**`)
    expect(sent).toHaveLength(2)
    for (const headers of await Promise.all(sent)) expect(headers).not.toHaveProperty('cookie')
  })
})

describe('a hostile app in an agent: requests to Slipway', () => {
  let execs: Execs
  it('opens no WebSocket, posts nothing and reads nothing', async () => {
    execs = await watchExecs(its)
    try {
      const before = await execs.count()
      const cookies = await context.cookies(`${baseUrl}/api/auth/refresh`)
      const told = await app.evaluate(
        async ([base, path, token]) => {
          const codeOf = (url: string) =>
            new Promise<unknown>((resolve) => {
              const socket = new WebSocket(url)
              socket.onopen = () => socket.send(JSON.stringify({ type: 'auth', token }))
              socket.onmessage = () => resolve('heard something')
              socket.onclose = ({ code }) => resolve(code)
            })
          const tried = (url: string, init: RequestInit) =>
            fetch(url, init).then(
              ({ type }) => type,
              () => 'refused',
            )
          const sockets = base!.replace('http', 'ws')
          return {
            sockets: [await codeOf(`${sockets}/api${path}/terminal?mode=bash`), await codeOf(`${sockets}/api/events`)],
            read: await tried(`${base}/api${path}`, { credentials: 'include' }),
            readWithToken: await tried(`${base}/api${path}`, { headers: { authorization: `Bearer ${token}` } }),
            posted: await tried(`${base}/api/auth/logout`, { method: 'POST', credentials: 'include' }),
            postedBlindly: await tried(`${base}/api/auth/refresh`, {
              ...{ method: 'POST', mode: 'no-cors', credentials: 'include' },
              headers: { 'content-type': 'text/plain' },
            }),
          }
        },
        [baseUrl, its.path, its.owner.token],
      )
      // 1006 is the code that a browser reports for a refused upgrade.
      expect(told).toMatchObject({
        sockets: [1006, 1006],
        read: 'refused',
        readWithToken: 'refused',
        posted: 'refused',
      })
      // Sent, and nothing of it can be read. The sign-in is as it was.
      expect(['opaque', 'refused']).toContain(told.postedBlindly)
      expect(await context.cookies(`${baseUrl}/api/auth/refresh`)).toEqual(cookies)
      expect(await execs.count()).toBe(before)
    } finally {
      execs.stop()
    }
  })
})
