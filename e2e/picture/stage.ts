/** The camera's view: the users' windows, a caption, and the pointer. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Locator, Page } from 'playwright'
import type { Film } from './film.ts'

/** Size of the picture, in pixels. */
const SIZE = { width: 1264, height: 824 }

/** A user's window, and its position on the stage. */
export interface Window {
  readonly page: Page
  left: number
  top: number
  readonly width: number
  readonly height: number
  /** Whether it is drawn as a phone. */
  readonly isPhone?: boolean
}

/** Letters typed between two stills, and the time for each letter, in milliseconds. */
const [LETTERS, LETTER_MS] = [3, 17]
/** How long the pointer rests on its target, in milliseconds. */
const REST_MS = 200
/** Steps of a moving pointer or window, and the duration of each, in milliseconds. */
const STEPS = 5
const STEP_MS = 40

/** The font of the pages. */
const INTER = createRequire(import.meta.resolve('@fontsource-variable/inter')).resolve(
  './files/inter-latin-wght-normal.woff2',
)
const STYLE = `
  @font-face { font-family: Inter; font-weight: 100 900; src: url(data:font/woff2;base64,${readFileSync(INTER).toString('base64')}) }
  * { margin: 0; box-sizing: border-box }
  body { width: ${SIZE.width}px; height: ${SIZE.height}px; overflow: hidden; background: #0c3b36; font: 500 22px Inter; color: #eafaf6 }
  #caption { height: 60px; padding: 0 24px; display: flex; align-items: center; gap: 14px }
  #caption svg { width: 26px; height: 26px }
  .window { position: absolute; border-radius: 9px; border: 1px solid #2b5f58; background: #0b0b0d }
  .front { outline: 6px solid #0c3b36 }
  .phone { border: 0; border-radius: 26px; box-shadow: 0 0 0 9px #17191e, 0 0 0 11px #4fd1b5 }
  #pointer { position: absolute; left: 0; top: 0; width: 22px; height: 22px }
`
const MARK = `<svg viewBox="0 0 32 32"><path d="M5 12.5 27 23v3.5H5z" fill="#4fd1b5"/><path d="m9.6 5.6 12.3 5.9-2.3 4.2-7.9-3.8z" fill="#eafaf6"/></svg>`
const POINTER = `<svg id="pointer" viewBox="0 0 24 24"><path d="M4 2v18l5-5 3.2 7 3-1.3-3.1-6.9H19z" fill="#fff" stroke="#000" stroke-width="1.3"/></svg>`

interface Drawn {
  readonly caption: string
  readonly windows: readonly {
    src: string
    left: number
    top: number
    width: number
    height: number
    isPhone: boolean
  }[]
  readonly pointer: { x: number; y: number } | null
}

export class Stage {
  readonly #canvas: Page
  readonly #film: Film
  readonly #windows: Window[] = []
  #caption = ''
  #pointer: { x: number; y: number } | null = null

  private constructor(canvas: Page, film: Film) {
    this.#canvas = canvas
    this.#film = film
  }

  static async open(browser: Browser, film: Film): Promise<Stage> {
    const canvas = await browser.newPage({ viewport: SIZE })
    await canvas.setContent(
      `<style>${STYLE}</style><div id="caption">${MARK}<span></span></div><div id="windows"></div>${POINTER}`,
    )
    return new Stage(canvas, film)
  }

  /** Sets the caption above the windows. */
  caption(text: string): void {
    this.#caption = text
  }

  /** Adds a window on top of the others. */
  put(window: Window): void {
    this.#windows.push(window)
  }

  remove(window: Window): void {
    this.#windows.splice(this.#windows.indexOf(window), 1)
  }

  /** Shows the present picture for a time. */
  async hold(ms: number): Promise<void> {
    const windows = await Promise.all(
      this.#windows.map(async ({ page, left, top, width, height, isPhone = false }) => {
        const png = await page.screenshot({ animations: 'allow', caret: 'initial' })
        return { src: `data:image/png;base64,${png.toString('base64')}`, left, top, width, height, isPhone }
      }),
    )
    await this.#canvas.evaluate(draw, { caption: this.#caption, windows, pointer: this.#pointer })
    this.#film.add(await this.#canvas.screenshot(), ms)
  }

  /** Types at a user's speed. */
  async type(page: Page, text: string): Promise<void> {
    for (let at = 0; at < text.length; at += LETTERS) {
      const letters = text.slice(at, at + LETTERS)
      await page.keyboard.type(letters)
      await this.hold(letters.length * LETTER_MS)
    }
  }

  /** Moves a window to a position. */
  async slide(window: Window, to: { left: number; top: number }): Promise<void> {
    const { left, top } = window
    for (const part of eased()) {
      window.left = Math.round(left + (to.left - left) * part)
      window.top = Math.round(top + (to.top - top) * part)
      await this.hold(STEP_MS)
    }
  }

  /** Moves the pointer to an element in a window and clicks it. */
  async press(window: Window, target: Locator): Promise<void> {
    await this.point(window, target)
    await this.hold(REST_MS)
    await target.click()
  }

  /** Moves the pointer to an element in a window. */
  async point(window: Window, target: Locator): Promise<void> {
    const box = (await target.boundingBox())!
    const scale = window.width / window.page.viewportSize()!.width
    const to = {
      x: window.left + (box.x + box.width / 2) * scale,
      y: window.top + (box.y + box.height / 2) * scale,
    }
    const from = this.#pointer ?? { x: to.x + 120, y: to.y + 90 }
    for (const part of eased()) {
      this.#pointer = { x: Math.round(from.x + (to.x - from.x) * part), y: Math.round(from.y + (to.y - from.y) * part) }
      await this.hold(STEP_MS)
    }
  }

  /** Hides the pointer until it moves again. */
  hidePointer(): void {
    this.#pointer = null
  }
}

/** Positions along a path, fast at first and slow at the end. */
const eased = (): number[] => Array.from({ length: STEPS }, (_, at) => 1 - (1 - (at + 1) / STEPS) ** 3)

/** Runs in the stage's own page. */
const draw = async ({ caption, windows, pointer }: Drawn): Promise<void> => {
  document.querySelector('#caption span')!.textContent = caption
  const images = windows.map(({ src, left, top, width, height, isPhone }, index) => {
    const image = new Image(width, height)
    image.src = src
    image.className = isPhone ? 'window phone' : index > 0 ? 'window front' : 'window'
    image.style.left = `${left}px`
    image.style.top = `${top}px`
    return image
  })
  await Promise.all(images.map((image) => image.decode()))
  document.querySelector('#windows')!.replaceChildren(...images)
  const arrow = document.querySelector<SVGElement>('#pointer')!
  arrow.style.display = pointer === null ? 'none' : 'block'
  if (pointer !== null) arrow.style.translate = `${pointer.x}px ${pointer.y}px`
}
