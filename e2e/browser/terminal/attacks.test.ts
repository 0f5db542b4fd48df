/** Terminal output attacks the browser: anything that a program may send, or that a printed file may contain. */
import type { Duplex } from 'node:stream'
import { until } from '@slipway/testing'
import { isLongForm } from '@slipway/testing/forms'
import type { BrowserContext, Page } from 'playwright'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { docker } from '../../support/engine.ts'
import { frames } from '../../support/terminal/flood.ts'
import { ANSWERS, ATTACKS, ESC, LINKS, link, ST } from '../../support/terminal/hostile-output.ts'
import { contextOf, goTo, useBrowser } from '../../support/pages.ts'
import { Screen } from '../../support/screen.ts'
import { useAgent } from '../../support/use-agent.ts'

useBrowser({ ownClipboard: true })
const its = useAgent({ runtime: 'bash' })
let context: BrowserContext
let page: Page
let screen: Screen
/** Writes to the terminal as any program of the agent can, without a key press. */
let printer: Duplex
/** What the page sent into the terminal, as text. */
let sent: string[] = []
const strangers: string[] = []

const openPrinter = async (tty: string): Promise<Duplex> => {
  const container = docker.getContainer(its.container)
  const exec = await container.exec({ Cmd: ['sh', '-c', `cat > ${tty}`], AttachStdin: true })
  return exec.start({ hijack: true, stdin: true })
}
const print = (output: string): void => void printer.write(output, 'utf8')

/** How many attacks are printed before the test looks at the page. */
const AT_ONCE = isLongForm ? 1 : 8
/** Ends every sequence that the output left open. */
const END = `\x18${ST}${ESC}c`
let turn = 0
/** Waits until the emulator has parsed all output. */
const settled = async (): Promise<void> => {
  const mark = `settled-${(turn += 1)}`
  print(`${END}${mark}`)
  await screen.shows(mark)
}

beforeEach(() => openTerminal())
afterEach(() => printer.end())

/** Opens a page whose terminal runs a silent program. */
const openTerminal = async (): Promise<void> => {
  const permissions = ['clipboard-read', 'clipboard-write']
  context = await contextOf(its.owner, { permissions, webgl: true, provoked: [/example\.test/] })
  context.on('page', (other) => strangers.push(`page ${other.url()}`))
  page = await context.newPage()
  strangers.length = 0
  page.on('dialog', (dialog) => {
    strangers.push(`dialog ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('download', () => strangers.push('download'))
  page.on('websocket', (socket) =>
    socket.on('framesent', ({ payload }) => {
      if (typeof payload !== 'string') sent.push(payload.toString('latin1'))
    }),
  )
  await goTo(page, its.path)
  screen = new Screen(page)
  await screen.shell()
  await screen.drawnBy('webgl')
  const tty = await screen.run('tty')
  expect(tty).toMatch(/^\/dev\/pts\/\d+$/)
  await screen.type('stty -echo; exec cat > /dev/null\n')
  printer = await openPrinter(tty)
  await settled()
  await page.evaluate(() => navigator.clipboard.writeText('mine'))
  sent = []
}

/** Checks that nothing happened except on the emulator's screen. */
const unharmed = async (): Promise<void> => {
  const state = await page.evaluate(async () => ({
    attacked: 'attacked' in window,
    clipboard: await navigator.clipboard.readText(),
    images: document.querySelectorAll('img[src="x"]').length,
  }))
  expect(state).toEqual({ attacked: false, clipboard: 'mine', images: 0 })
  expect(new URL(page.url()).pathname).toBe(its.path)
  expect(await page.title()).toMatch(/· Slipway$/)
  expect(strangers).toEqual([])
}

describe('terminal output attacks the browser: titles, OSC 8, OSC 52, DECRQSS: what a program prints', () => {
  it('is text and drawing, for every sequence: replies within an allow-list, clipboard unchanged', async () => {
    for (let first = 0; first < ATTACKS.length; first += AT_ONCE) {
      const some = ATTACKS.slice(first, first + AT_ONCE)
      try {
        sent = []
        for (const [, output] of some) print(`${output}${END}`)
        await settled()
        expect(sent.join('').replaceAll(ANSWERS, ''), 'what is sent into the terminal').toBe('')
        await unharmed()
      } catch (error) {
        throw new Error(`harmed by ${some.map(([what]) => what).join(', or ')}`, { cause: error })
      }
    }
    // Proves that the test would see replies: the emulator answers a harmless query.
    sent = []
    print(`${ESC}[5n`)
    await until('an answer', () => sent.join('').includes(`${ESC}[0n`))
  })

  it('names itself in one short line of text', async () => {
    print(`${ESC}]2;a\u202eb\n<b>${'x'.repeat(10_000)}</b>${ST}`)
    const title = page.getByTestId('terminal-title')
    await until('the title', async () => (await title.textContent())?.startsWith('a b<b>x'))
    expect(((await title.textContent()) ?? '').length).toBeLessThanOrEqual(200)
    await unharmed()
  })

  it('offers links to web pages only', async () => {
    const box = (await screen.element.locator('.xterm-screen').boundingBox())!
    const clickFirstCell = async (): Promise<void> => {
      // If a row is redrawn between press and release, its link is another one by then.
      await frames(page, 2)
      await page.mouse.move(box.x + 200, box.y + 200)
      await page.mouse.move(box.x + 20, box.y + 8, { steps: 3 })
      await page.mouse.click(box.x + 20, box.y + 8)
    }
    for (const url of LINKS) {
      await settled()
      print(`${ESC}c${link(url)}\r\n\r\nready ${turn}`)
      await screen.shows(`ready ${turn}`)
      await clickFirstCell()
      await unharmed().catch((error: unknown) => {
        throw new Error(`harmed by a link to ${url}`, { cause: error })
      })
    }
    // Proves that the same click opens an allowed link.
    await settled()
    print(`${ESC}c${link('https://example.test/harbour')}\r\n\r\nready ${turn}`)
    await screen.shows(`ready ${turn}`)
    // No host of that name exists, so the test sees only the request.
    const opened = context.waitForEvent('request', (request) => request.isNavigationRequest())
    await clickFirstCell()
    expect((await opened).url()).toBe('https://example.test/harbour')
  })
})
