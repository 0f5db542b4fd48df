/** Programs in the terminal: connecting without a click, Claude Code, bash and Gemini, in the real container. */
// In the short form e2e/protocol has the programs, and the tests of the front end the keys.
import '@slipway/testing/long'
import { longIt } from '@slipway/testing/forms'
import type { Page } from 'playwright'
import { describe, expect, it, onTestFinished } from 'vitest'
import { useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { useAgent } from '../../support/use-agent.ts'

useBrowser()
const its = useAgent()

/** Holds terminals until the test has seen the page wait for them. */
const holdTerminals = async (page: Page): Promise<() => void> => {
  const held = Promise.withResolvers<null>()
  await page.routeWebSocket(/\/terminal/, async (socket) => {
    await held.promise
    socket.connectToServer()
  })
  return () => held.resolve(null)
}

describe('Test steps', () => {
  it('Terminal Auto-Connection', async () => {
    const page = await visit(its.owner, `${its.path}/overview`)
    const screen = new Screen(page)
    const release = await holdTerminals(page)
    await page.getByTestId('tab-terminal').click()
    await expect.poll(() => screen.status.textContent()).toBe('Connecting...')
    release()
    await page.getByText('Connected!', { exact: true }).first().waitFor()
    await screen.is('connected')
    // The greeting disappears.
    await expect.poll(() => screen.status.textContent()).toBe('Connected')
    expect(await page.getByTestId('terminal-dot').getAttribute('data-state')).toBe('running')
    const isGreen = async (): Promise<boolean> => {
      const [red, green, blue] = await page.getByTestId('terminal-dot').evaluate((dot) => {
        const pixel = new OffscreenCanvas(1, 1).getContext('2d')!
        pixel.fillStyle = getComputedStyle(dot).color
        pixel.fillRect(0, 0, 1, 1)
        return [...pixel.getImageData(0, 0, 1, 1).data]
      })
      return green! > Math.max(red!, blue!)
    }
    await expect.poll(isGreen).toBe(true)
  })

  it('Claude Code Mode (Default)', async () => {
    const screen = new Screen(await visit(its.owner, its.path, { webgl: true }))
    await screen.is('connected')
    await screen.drawnBy('webgl')
    expect(await screen.page.getByTestId('terminal-mode-cli').textContent()).toContain('Claude Code')
    expect(await screen.page.getByTestId('terminal-mode-cli').getAttribute('aria-checked')).toBe('true')
    await screen.shows(/Claude Code v[\d.]+/)
    await screen.shows('bypass permissions on')
    await screen.type('/help')
    await screen.shows(/^\W*\/help/m)
    await screen.press('Enter')
    const help = await screen.shows(/^ *Shortcuts$/m)
    expect(help).toMatch(/general\s+commands/i)
    expect(await screen.colours()).toBeGreaterThan(1)
  })

  // `pages/keyboard.test.ts` goes from Claude Code to bash; most other tests are in bash.
  longIt('Bash Mode', async () => {
    const page = await visit(its.owner, its.path)
    const screen = new Screen(page)
    await screen.shows(/Claude Code v/)
    await page.getByTestId('terminal-disconnect').click()
    await screen.is('disconnected')
    await page.getByTestId('terminal-mode-bash').click()
    await page.getByTestId('terminal-connect').click()
    await screen.is('connected')
    await screen.prompt()
    expect(await screen.run('whoami')).toBe('developer')
    expect(await screen.run('pwd')).toBe('/home/developer')
    await screen.run('touch made-here')
    expect(await screen.run('ls')).toContain('made-here')
  })

  it('brings the symbols that CLIs draw with, on a machine that has them in no font', async () => {
    const page = await visit(its.owner, its.path)
    await new Screen(page).is('connected')
    const fonts = await page.evaluate(() =>
      Array.from(document.fonts, ({ family, status }) => ({ family: family.replaceAll('"', ''), status })),
    )
    const symbols = fonts.filter(({ family }) => family === 'Slipway Symbols')
    expect(symbols.map(({ status }) => status)).toEqual(['loaded', 'loaded', 'loaded', 'loaded'])
    // A character that the font lacks is measured and drawn as a box.
    const widths = await page.evaluate(() => {
      const context = document.createElement('canvas').getContext('2d')!
      context.font = '100px "Slipway Symbols", "JetBrains Mono Variable"'
      return Array.from('⏵⏸⎿❯⠋', (character) => Math.round(context.measureText(character).width))
    })
    expect(widths).toEqual([59, 91, 70, 60, 70])
  })

  // `frontend/src/composables/terminal/session/useModeSwitch.test.ts` has each of these choices.
  longIt(
    'what is chosen while something else is only being started, or found, is what runs, and ends nothing unasked',
    async () => {
      const agent = await its.owner.agent({ runtime: 'claude-code', keepSeconds: 300 })
      onTestFinished(() => its.owner.ok('DELETE', `/agents/${agent.name}`).then(() => undefined))
      const choosesBash = async (): Promise<Screen> => {
        const page = await visit(its.owner, `/agents/${agent.name}/overview`)
        const screen = new Screen(page)
        const release = await holdTerminals(page)
        await page.getByTestId('tab-terminal').click()
        await screen.is('connecting')
        await page.getByTestId('terminal-mode-bash').click()
        release()
        return screen
      }
      const checked = ({ page }: Screen, mode: string) =>
        page.getByTestId(`terminal-mode-${mode}`).and(page.locator('[aria-checked="true"]')).waitFor()
      const first = await choosesBash()
      await first.prompt()
      await checked(first, 'bash')
      await first.page.getByTestId('terminal-mode-cli').click()
      await first.page.getByTestId('confirm-action').click()
      await first.shows(/Claude Code v/)
      await first.page.context().close()

      const again = await choosesBash()
      await again.page.getByTestId('confirm-action').waitFor()
      await again.page.keyboard.press('Escape')
      await again.page.getByTestId('confirm-action').waitFor({ state: 'detached' })
      await checked(again, 'cli')
      await again.is('connected')
      expect(await again.text()).toContain('Claude Code v')
    },
  )

  // `input/enter-keys.test.ts` starts Gemini and types into it.
  longIt('Gemini CLI Mode', async () => {
    const gemini = await its.owner.agent({ runtime: 'gemini-cli' })
    onTestFinished(() => its.owner.ok('DELETE', `/agents/${gemini.name}`).then(() => undefined))
    const screen = new Screen(await visit(its.owner, `/agents/${gemini.name}`, { webgl: true }))
    await screen.is('connected')
    await screen.drawnBy('webgl')
    expect(await screen.page.getByTestId('terminal-mode-cli').textContent()).toContain('Gemini CLI')
    await screen.shows('Gemini CLI')
    await screen.shows('Type your message')
  })
})
