/** A screen is redrawn after much scrollback: a snapshot after a page was left behind, or a `reset`. */
// In the short form `exact-repaint.test.ts` shows many lines anew, drawn by canvas, and
// `emulator/src/headless/repaint.test.ts` screens of every kind.
import '@slipway/testing/long'
import type { Terminal } from '@xterm/headless'
import { inLongForm } from '@slipway/testing/forms'
import { describe, expect, it } from 'vitest'
import { frames } from '../../support/terminal/flood.ts'
import { useBrowser, visit } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { useAgent } from '../../support/use-agent.ts'

type WithTerminal = HTMLElement & { readonly xterm: Terminal }

useBrowser()
const its = useAgent({ runtime: 'bash' })

/** A screen after 20,000 lines, drawn by `renderer`. */
const flooded = async (renderer: 'webgl' | 'canvas'): Promise<Screen> => {
  const screen = new Screen(await visit(its.owner, its.path, { webgl: renderer === 'webgl' }))
  await screen.shell()
  await screen.drawnBy(renderer)
  await screen.type('seq 20000\n')
  await screen.shows(/\n20000\n[^]*\$ ?$/)
  await frames(screen.page, 3)
  expect(await top(screen)).toBeGreaterThan(9_000)
  return screen
}

/** The number in the first visible line. Null if it shows none. */
const top = async (screen: Screen): Promise<number | null> => {
  const line = await screen.element.evaluate((element) => (element as WithTerminal).xterm.buffer.active.viewportY)
  return Number.isNaN(line) ? null : line
}

/** Redraws as a snapshot does, before the browser draws: at its own size, after a full reset. */
const printAnew = (screen: Screen): Promise<void> =>
  screen.element.evaluate(
    (element) =>
      new Promise<void>((resolve) => {
        const { xterm } = element as WithTerminal
        xterm.reset()
        xterm.resize(xterm.cols, xterm.rows - 1)
        xterm.reset()
        xterm.write('shown anew', resolve)
      }),
  )

/**
 * Fills the scrollback, prints `forgetting`, and continues after `pause` frames. Returns the lines between the view and
 * the end.
 */
const hidden = (screen: Screen, forgetting: string, pause: number): Promise<number> =>
  screen.element.evaluate(
    async (element, { erase, wait }) => {
      const { xterm } = element as WithTerminal
      const print = (text: string) => new Promise<void>((resolve) => xterm.write(text, resolve))
      const drawn = async (count: number): Promise<void> => {
        for (let at = 0; at < count; at++) await new Promise(requestAnimationFrame)
      }
      await print('line\r\n'.repeat(12_000))
      await drawn(5)
      await print(erase)
      await drawn(wait)
      await print('line\r\n'.repeat(200))
      await drawn(5)
      const { baseY, viewportY } = xterm.buffer.active
      return baseY - viewportY
    },
    { erase: forgetting, wait: pause },
  )

// An error in a renderer counts as a complaint of the page, which fails the test.
describe.each(['webgl', 'canvas'] as const)('a screen drawn by %s', (renderer) => {
  it('is drawn when it is shown anew after a flood', async () => {
    const screen = await flooded(renderer)
    await printAnew(screen)
    await frames(screen.page, 3)
    expect(await top(screen)).toBe(0)
    expect(await screen.text()).toBe('shown anew')
    await screen.type('clear; echo after $((40+2))\n')
    await screen.shows(/^after 42\n/)
  })
})

describe('the end of the output', () => {
  it.each<[title: string, forgetting: string]>([
    // The tests before reset, too.
    ...inLongForm<[string, string]>([['a reset', '\x1bc']]),
    ['an erasure of all that was above', '\x1b[H\x1b[2J\x1b[3J'],
  ])('is seen after %s, whenever it goes on', async (_title, forgetting) => {
    const screen = await flooded('webgl')
    for (let pause = 0; pause < 5; pause++) expect(await hidden(screen, forgetting, pause)).toBe(0)
  })
})
