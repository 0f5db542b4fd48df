/** Each container of a test changes the network of this machine. The browser of the tests must not lose connections to it. */
import { until } from '@slipway/testing'
import { expect, it } from 'vitest'
import { Tunnels, useInterfaces } from '../../support/network/losing.ts'
import { goTo, newContext, useBrowser } from '../../support/pages.ts'

useBrowser()

/** A browser that hears of changes has noticed after one or two. */
const INTERFACES = 3

const isRoot = process.getuid?.() === 0
it.runIf(isRoot)('a connection that is being opened outlives new interfaces of the machine', async () => {
  const tunnels = await Tunnels.open()
  const context = await newContext({ proxy: { server: tunnels.url } })
  const page = await context.newPage()
  await goTo(page, '/login')
  tunnels.hold()
  const answered = page.evaluate(() => fetch('/api/health').then(({ status }) => status, String))
  await until('the connection', () => tunnels.held > 0)
  const { bringUp } = useInterfaces()
  for (let made = 0; made < INTERFACES; made++) await bringUp()
  tunnels.release()
  expect(await answered).toBe(200)
})
