/** The ports of an agent on its page, and its app in a tab of the browser. */
import { readFileSync } from 'node:fs'
import { longIt } from '@slipway/testing/forms'
import { describe, expect, it } from 'vitest'
import { runIn } from '../../support/agent/in-agent.ts'
import { answered, useBrowser, visit } from '../../support/pages.ts'
import { useAgent } from '../../support/use-agent.ts'

const APP = readFileSync(new URL('../../support/agent/port-app.mjs', import.meta.url))
const PORT = 5173
/** The app has an origin of its own, and does not answer for a while. */
const provoked = [/^request: http:\/\/517[34]--/, answered(401), answered(502)]

useBrowser()
const its = useAgent({ runtime: 'bash' })
const startApp = () => runIn(its.agent.name, `setsid -f node app.mjs ${PORT} >/dev/null 2>&1`)

describe('the ports of an agent', () => {
  it('appear when a program listens, and open in a tab that waits for the app', async () => {
    const page = await visit(its.owner, `${its.path}/ports`, { provoked })
    await page.getByText('No program listens').waitFor()
    await its.owner.upload(its.agent.name, 'app.mjs', APP)
    await startApp()
    const row = page.getByTestId(`port-${PORT}`)
    await row.getByText(`node app.mjs ${PORT}`).waitFor()

    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('button', { name: `Open port ${PORT}` }).click(),
    ])
    await tab.getByText('GET /', { exact: true }).waitFor()
    expect(await tab.evaluate(() => window.opener === null)).toBe(true)
    expect(new URL(tab.url()).hostname).toMatch(new RegExp(`^${PORT}--${its.agent.name}--.*\\.localhost$`))

    await runIn(its.agent.name, 'pkill -f app.mjs')
    await page.getByText('No program listens').waitFor()
    await tab.reload()
    await tab.getByText(`Nothing answers on port ${PORT}`).waitFor()
    await startApp()
    await tab.getByText('GET /', { exact: true }).waitFor()
  })

  // Without a page: `e2e/ports/ports.test.ts`, a port is closed “to a browser without a right, with the way to it”.
  longIt('lead a browser that was not let in to the page that lets it in', async () => {
    const page = await visit(its.owner, `${its.path}/ports?open=${PORT}&path=%2Fwanted`, { provoked })
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByTestId('port-wanted').getByRole('button').click(),
    ])
    await tab.getByText('GET /wanted').waitFor()
    await page.getByTestId('port-wanted').waitFor({ state: 'detached' })
    const signIn = await page.context().newPage()
    await signIn.goto(tab.url().replace(`${PORT}--`, '5174--'))
    const link = signIn.getByRole('link', { name: 'Open in Slipway' })
    expect(await link.getAttribute('href')).toContain(`${its.path}/ports?open=5174&path=%2Fwanted`)
  })
})
