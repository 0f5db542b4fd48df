/** The visible terminal of a page: its controls, its keyboard and its screen. */
import { until } from '@slipway/testing'
import type { Terminal } from '@xterm/headless'
import type { Locator, Page } from 'playwright'
import { PATIENCE_MS } from './pages.ts'

/** The page keeps its emulator on this element. */
type WithTerminal = HTMLElement & { readonly xterm?: Terminal }

/** Time between two reads of a whole screen, in milliseconds. Each read slows the page. */
const REST_MS = 75

/** In the agent's terminal, or in that of a task. A page shows one of them. */
const inPanel = (id: string): string =>
  `:is([data-testid="terminal-panel"], [data-testid="task-terminal"]) [data-testid="${id}"]`

/** The text of the screen, without scrollback. Wrapped rows are one line. */
export const screenText = (page: Page): Promise<string> =>
  page.evaluate((selector) => {
    const buffer = document.querySelector<WithTerminal>(selector)?.xterm?.buffer.active
    if (buffer === undefined) return ''
    let text = ''
    for (let at = buffer.baseY; at < buffer.length; at++) {
      const line = buffer.getLine(at)
      text += `${line?.isWrapped === true || text === '' ? '' : '\n'}${line?.translateToString(true) ?? ''}`
    }
    return text.trimEnd()
  }, inPanel('terminal'))

export class Screen {
  readonly page: Page
  readonly element: Locator
  readonly status: Locator
  readonly error: Locator

  constructor(page: Page) {
    this.page = page
    this.element = page.locator(inPanel('terminal'))
    this.status = page.getByTestId('terminal-status')
    this.error = page.locator(inPanel('terminal-error'))
  }

  text(): Promise<string> {
    return screenText(this.page)
  }

  /** Waits until the screen shows `what`, and returns the whole screen. */
  async shows(what: string | RegExp): Promise<string> {
    let text = ''
    const fits = (): boolean => (typeof what === 'string' ? text.includes(what) : what.test(text))
    try {
      return await until(
        `the screen to show ${what}`,
        async () => {
          text = await this.text()
          if (fits()) return text
          await this.page.waitForTimeout(REST_MS)
          return false
        },
        PATIENCE_MS,
      )
    } catch (error) {
      throw new Error(`the screen never showed ${what}:\n${text}`, { cause: error })
    }
  }

  /** Waits for the connection's state. */
  async is(state: 'connected' | 'connecting' | 'reconnecting' | 'disconnected'): Promise<void> {
    const awaited = this.page.locator(`${inPanel('terminal')}[data-state="${state}"]`)
    await awaited.waitFor().catch(async (error: unknown) => {
      const shown = await this.page.locator('body').innerText()
      throw new Error(`the terminal was never ${state}. The page shows:\n${shown}`, { cause: error })
    })
  }

  /** Waits for bash's prompt, in an agent without another program. */
  async shell(): Promise<void> {
    await this.is('connected')
    await this.prompt()
    await this.hasKeys()
  }

  /** Switches to bash and waits for its prompt, in any state of the terminal. */
  async bash(): Promise<void> {
    await this.is('connected')
    await this.page.getByTestId('terminal-mode-bash').click()
    await this.page.getByTestId('confirm-action').click()
    await this.page.locator(`${inPanel('terminal')}[data-mode="bash"][data-state="connected"]`).waitFor()
    await this.prompt()
    await this.hasKeys()
  }

  /** Waits until the terminal has the keyboard focus. */
  async hasKeys(): Promise<void> {
    await this.element.locator('textarea:focus').waitFor({ state: 'attached' })
  }

  /** Waits until the program has asked for pastes in brackets. A CLI does so only after its first frame. */
  async takesPastes(): Promise<void> {
    await this.page.waitForFunction(
      (selector) => document.querySelector<WithTerminal>(selector)?.xterm?.modes.bracketedPasteMode === true,
      inPanel('terminal'),
    )
  }

  /** Waits for bash's prompt in the last line. */
  async prompt(): Promise<string> {
    return this.shows(/\$ ?$/)
  }

  /** Types into the focused element. */
  async type(text: string): Promise<void> {
    await this.page.keyboard.type(text)
  }

  async press(key: string): Promise<void> {
    await this.page.keyboard.press(key)
  }

  /** Runs a line in bash and returns its output, as far as it is on the screen. */
  async run(line: string): Promise<string> {
    const mark = `end${Math.random().toString(36).slice(2, 8)}`
    // The shell joins the two halves of the mark, so that the echoed command does not contain it.
    await this.type(`${line}; echo "${mark.slice(0, 4)}""${mark.slice(4)}"\n`)
    const text = await this.shows(mark)
    const from = text.lastIndexOf(`${mark.slice(0, 4)}""${mark.slice(4)}"`)
    return text.slice(text.indexOf('\n', from) + 1, text.lastIndexOf(mark)).trimEnd()
  }

  /** Position of a word's middle in the window, in the last row that contains all of it. */
  async spot(word: string): Promise<{ x: number; y: number }> {
    const { row, column } = await this.page.evaluate(
      ([selector, wanted]) => {
        const { active } = document.querySelector<WithTerminal>(selector!)!.xterm!.buffer
        const rows = Array.from({ length: active.length - active.baseY }, (_, y) =>
          active.getLine(active.baseY + y)!.translateToString(true),
        )
        const row = rows.findLastIndex((text) => text.includes(wanted!))
        return { row, column: rows[row]?.indexOf(wanted!) ?? -1 }
      },
      [inPanel('terminal'), word],
    )
    if (row === -1) throw new Error(`${word} is on no row:\n${await this.text()}`)
    const box = (await this.page.locator('.xterm-screen:visible').boundingBox())!
    const { cols, rows } = await this.size()
    return {
      x: box.x + ((column + word.length / 2) * box.width) / cols,
      y: box.y + ((row + 0.5) * box.height) / rows,
    }
  }

  /** Columns and rows of the page's emulator. */
  size(): Promise<{ cols: number; rows: number }> {
    return this.page.evaluate((selector) => {
      const { cols, rows } = document.querySelector<WithTerminal>(selector)!.xterm!
      return { cols, rows }
    }, inPanel('terminal'))
  }

  /** Waits until the program has the page's size. */
  async agreesOnSize(): Promise<{ cols: number; rows: number }> {
    return until(
      'the program to have the size of the page',
      async () => {
        const told = await this.run('stty size')
        const size = await this.size()
        return told.endsWith(`${size.rows} ${size.cols}`) && size
      },
      PATIENCE_MS,
    )
  }

  /** Number of different non-default colours of the letters on the screen. */
  colours(): Promise<number> {
    return this.page.evaluate((selector) => {
      const terminal = document.querySelector<WithTerminal>(selector)!.xterm!
      const buffer = terminal.buffer.active
      const found = new Set<number>()
      for (let y = buffer.baseY; y < buffer.length; y++) {
        for (let x = 0; x < terminal.cols; x++) {
          const cell = buffer.getLine(y)?.getCell(x)
          if (cell !== undefined && cell.getChars().trim() !== '' && !cell.isFgDefault()) found.add(cell.getFgColor())
        }
      }
      return found.size
    }, inPanel('terminal'))
  }

  /** Waits for the renderer. */
  async drawnBy(renderer: 'webgl' | 'canvas'): Promise<void> {
    await this.page.locator(`${inPanel('terminal')}[data-renderer="${renderer}"]`).waitFor()
  }
}
