/** Failures around a terminal, and what the page offers after them. */
import { longIt } from '@slipway/testing/forms'
import { describe, expect, it } from 'vitest'
import { passwordOf } from '../../support/api.ts'
import { answered, newContext, signInAt, useBrowser, visit } from '../../support/pages.ts'
import { cuttable } from '../../support/network/cuttable.ts'
import { Screen } from '../../support/screen.ts'
import { useAgent } from '../../support/use-agent.ts'

useBrowser()
const its = useAgent({ runtime: 'bash' })

describe('Edge cases', () => {
  // `agents/live-state.test.ts` starts an agent from its terminal, and the walk has a stopped one (`terminal-stopped`).
  longIt('Non-running Agent', async () => {
    await its.owner.ok('POST', `${its.path}/stop`)
    const page = await visit(its.owner, its.path)
    const placeholder = page.getByTestId('terminal-placeholder')
    await placeholder.getByText(`${its.agent.name} is not running. Start it?`).waitFor()
    await page.getByTestId('terminal-start').click()
    const screen = new Screen(page)
    await screen.is('connected')
    await screen.prompt()
  })

  it('Network Interruption', async () => {
    const network = await cuttable()
    const context = await newContext({ proxy: { server: network.url }, provoked: [/ERR_|WebSocket connection to/] })
    const page = await context.newPage()
    await signInAt(page, its.owner, its.path)
    await its.owner.ok('PATCH', its.path, { keepSeconds: 300 })
    const screen = new Screen(page)
    await screen.shell()
    await screen.run('echo before $((40+2)); mine=kept')
    network.cut()
    await page.getByTestId('terminal-reconnecting').waitFor()
    await screen.is('reconnecting')
    expect(await screen.text()).toContain('before 42')
    network.mend()
    // It reconnects by itself, to the same shell.
    await screen.is('connected')
    await page.getByTestId('terminal-reconnecting').waitFor({ state: 'detached' })
    expect(await screen.run('echo $mine')).toBe('kept')
    await its.owner.ok('PATCH', its.path, { keepSeconds: 0 })
    expect(await screen.run('echo after $((40+2))')).toBe('after 42')
    await context.close()
    await network.close()
  })

  // `frontend/src/terminal/session/link.test.ts` renews a token once, and `arrival/sign-in.test.ts` has a sign-in that
  // has ended.
  longIt('Token Expiry', async () => {
    const page = await visit(its.owner, its.path, { provoked: [answered(401)] })
    const screen = new Screen(page)
    await screen.is('connected')
    await page.getByTestId('terminal-disconnect').click()
    await screen.is('disconnected')
    // The access token expires, and the cookie that would renew it is gone.
    await page.clock.install()
    await page.clock.fastForward('16:00')
    await page.context().clearCookies()
    await page.getByTestId('terminal-connect').click()
    await screen.error.getByText('Your sign-in has expired.').waitFor()
    await screen.error.getByRole('button', { name: 'Sign in again' }).click()
    await page.getByLabel('Password', { exact: true }).fill(passwordOf(its.owner))
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(`**${its.path}`)
    await screen.is('connected')
  })

  // All tests without `webgl: true` draw by canvas, and `returning/exact-repaint.test.ts` looks.
  longIt('WebGL Unavailable', async () => {
    const screen = new Screen(await visit(its.owner, its.path, { webgl: false }))
    await screen.drawnBy('canvas')
    await screen.shell()
    expect(await screen.run('echo drawn $((40+2))')).toBe('drawn 42')
  })

  // `attacks.test.ts` draws by WebGL, and most tests by canvas.
  longIt('a lost WebGL context falls back to canvas, and the terminal goes on', async () => {
    const screen = new Screen(await visit(its.owner, its.path, { webgl: true }))
    await screen.shell()
    await screen.drawnBy('webgl')
    await screen.element.locator('canvas').evaluateAll((canvases) => {
      for (const canvas of canvases as HTMLCanvasElement[])
        canvas.getContext('webgl2')?.getExtension('WEBGL_lose_context')?.loseContext()
    })
    await screen.drawnBy('canvas')
    expect(await screen.run('echo drawn $((40+2))')).toBe('drawn 42')
  })
})
