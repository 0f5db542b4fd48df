/** Selecting with the mouse, with and without a program that grabs the mouse. */
import { combined, inLongForm } from '@slipway/testing/forms'
import type { Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import { visitOnMac } from '../../support/page/mac.ts'
import { useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { useAgent } from '../../support/use-agent.ts'

useBrowser()
const its = useAgent({ runtime: 'bash', memoryMb: 512 })

/** All mouse modes that a program can switch on. */
const MOUSE_MODES = [1000, 1002, 1003]
const TEXT = ['alpha beta gamma', 'delta theta kappa']
/** From the middle of `beta` to the middle of `theta`, by rows. */
const SELECTED = 'ta gamma\ndelta th'

/** Shows the text, above a program that shows each byte that it gets and has grabbed the mouse. */
const withMouse = async (screen: Screen, mode: number | null): Promise<void> => {
  const asks = mode === null ? '' : `\\e[?${mode}h\\e[?1006h`
  await screen.type(`clear; printf '\\n\\n%s\\n%s\\n${asks}' ${TEXT.map((line) => `'${line}'`).join(' ')}; cat -v\n`)
  await screen.shows(/^delta theta kappa$/m)
}
/** The bytes that the program got. The echo of the last one comes after all others. */
const sent = async (screen: Screen): Promise<string> => {
  await screen.type('end\n')
  const text = await screen.shows(/end\n.*end$/m)
  return text.slice(text.indexOf(TEXT[1]!) + TEXT[1]!.length).trim()
}
const leave = async (screen: Screen): Promise<void> => {
  await screen.press('Control+c')
  await screen.type("printf '\\e[?1000l\\e[?1002l\\e[?1003l\\e[?1006l'\n")
  await screen.prompt()
}
const drag = async (screen: Screen, from: string, to: string, key?: string): Promise<string> => {
  const { mouse, keyboard } = screen.page
  const [begin, end] = [await screen.spot(from), await screen.spot(to)]
  await mouse.move(begin.x, begin.y)
  if (key !== undefined) await keyboard.down(key)
  await mouse.down()
  await mouse.move(end.x, end.y, { steps: 4 })
  await mouse.up()
  if (key !== undefined) await keyboard.up(key)
  return selection(screen.page)
}
const selection = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const selector = '[data-testid="terminal-panel"] [data-testid="terminal"]'
    const { xterm } = document.querySelector(selector) as HTMLElement & { xterm: { getSelection(): string } }
    return xterm.getSelection()
  })

const DEVICES = ['mac', 'ipad'] as const

describe('Option', () => {
  // In the short form on a Mac, in the mode of most programs.
  it.each([['mac', 1002] as const, ...inLongForm(combined(DEVICES, MOUSE_MODES))])(
    'on a %s selects where a program has the mouse, which hears nothing of it (%i)',
    async (device, mode) => {
      const screen = new Screen(await visitOnMac(its.owner, its.path, { device }))
      await screen.shell()
      await withMouse(screen, mode)
      expect(await drag(screen, 'beta', 'theta')).toBe('')
      expect(await drag(screen, 'beta', 'theta', 'Alt')).toBe(SELECTED)
      const heard = await sent(screen)
      await leave(screen)
      // The program got the plain drag. In its reports, 8 stands for Option.
      expect(heard).toMatch(/\^\[\[<0;\d+;\d+M/)
      expect(heard).not.toMatch(/\^\[\[<(?:8|40);/)
    },
  )

  // The test before drags with Option and without it.
  it.each(inLongForm(DEVICES))(
    'on a %s is no arrow key for a program that has the mouse, where nothing is selected',
    async (device) => {
      const screen = new Screen(await visitOnMac(its.owner, its.path, { device }))
      await screen.shell()
      await withMouse(screen, 1002)
      const { x, y } = await screen.spot('beta')
      await screen.page.mouse.move(x, y)
      await screen.page.keyboard.down('Alt')
      await screen.page.mouse.click(x, y)
      await screen.page.keyboard.up('Alt')
      const heard = await sent(screen)
      await leave(screen)
      expect(heard).toMatch(/^end\nend$/)
    },
  )

  // The first test selects by rows.
  it.each(inLongForm(DEVICES))('on a %s selects a rectangle where no program has the mouse', async (device) => {
    const screen = new Screen(await visitOnMac(its.owner, its.path, { device }))
    await screen.shell()
    await withMouse(screen, null)
    expect(await drag(screen, 'beta', 'theta')).toBe(SELECTED)
    expect(await drag(screen, 'pha', 'kap', 'Alt')).toBe('ha beta ga\nta theta k')
    await leave(screen)
  })
})

describe('Shift on any other keyboard', () => {
  it('selects where a program has the mouse, and Alt is the program’s', async () => {
    const screen = new Screen(await visit(its.owner, its.path))
    await screen.shell()
    await withMouse(screen, 1002)
    expect(await drag(screen, 'beta', 'theta', 'Alt')).toBe('')
    expect(await drag(screen, 'beta', 'theta', 'Shift')).toBe(SELECTED)
    const heard = await sent(screen)
    await leave(screen)
    expect(heard).toMatch(/\^\[\[<8;\d+;\d+M/)
    expect(heard).not.toMatch(/\^\[\[<4;/)
  })
})
