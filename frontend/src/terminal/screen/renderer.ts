import type { ITerminalAddon, Terminal } from '@xterm/xterm'

const loadWebgl = () => import('@xterm/addon-webgl')
const loadCanvas = () => import('@xterm/addon-canvas')

/** The current renderer. `dom` is xterm's own, used while the terminal is hidden, or if no other works. */
export type RendererName = 'webgl' | 'canvas' | 'dom'

/**
 * Draws the terminal with WebGL, or with canvas if WebGL is unavailable or lost. A browser allows about 16 WebGL
 * contexts and drops one beyond that. So only a visible terminal has one.
 */
export class Renderer {
  #name: RendererName = 'dom'
  #addon: ITerminalAddon | null = null
  #wanted = false
  #webglFailed = false
  #disposed = false
  readonly #terminal: Terminal
  readonly #container: HTMLElement
  readonly #onChange: (name: RendererName) => void

  constructor(terminal: Terminal, container: HTMLElement, onChange: (name: RendererName) => void) {
    this.#terminal = terminal
    this.#container = container
    this.#onChange = onChange
    // Handles the event before the addon does, which would freeze the screen for three seconds.
    container.addEventListener('webglcontextlost', this.#onContextLost, true)
  }

  /** Call it each time the terminal becomes visible or hidden. */
  async setVisible(visible: boolean): Promise<void> {
    if (this.#wanted === visible) return
    this.#wanted = visible
    if (!visible) this.#unload()
    else if (this.#webglFailed) await this.#useCanvas()
    else await this.#useWebgl()
  }

  dispose(): void {
    this.#disposed = true
    this.#container.removeEventListener('webglcontextlost', this.#onContextLost, true)
    this.#unload()
  }

  async #useWebgl(): Promise<void> {
    try {
      const { WebglAddon } = await loadWebgl()
      if (this.#stale) return
      this.#load(new WebglAddon(), 'webgl')
    } catch {
      this.#webglFailed = true
      await this.#useCanvas()
    }
  }

  async #useCanvas(): Promise<void> {
    try {
      const { CanvasAddon } = await loadCanvas()
      if (this.#stale) return
      this.#load(new CanvasAddon(), 'canvas')
    } catch {
      // xterm's own renderer continues: slower, but always correct.
      this.#become('dom')
    }
  }

  get #stale(): boolean {
    return this.#disposed || !this.#wanted || this.#addon !== null
  }

  #load(addon: ITerminalAddon, name: RendererName): void {
    this.#terminal.loadAddon(addon)
    this.#addon = addon
    this.#become(name)
  }

  #unload(): void {
    const contexts = this.#name === 'webgl' ? this.#contexts() : []
    this.#addon?.dispose()
    this.#addon = null
    // Disposing leaves the context to the garbage collector. Losing it explicitly frees it for another terminal at
    // once.
    for (const context of contexts) context.getExtension('WEBGL_lose_context')?.loseContext()
    this.#become('dom')
  }

  #contexts(): WebGL2RenderingContext[] {
    return [...this.#container.querySelectorAll('canvas')]
      .map((canvas) => canvas.getContext('webgl2'))
      .filter((context) => context !== null)
  }

  readonly #onContextLost = (event: Event): void => {
    event.stopImmediatePropagation()
    if (this.#name !== 'webgl') return
    this.#webglFailed = true
    this.#addon?.dispose()
    this.#addon = null
    this.#become('dom')
    if (this.#wanted) void this.#useCanvas()
  }

  #become(name: RendererName): void {
    if (name === this.#name) return
    this.#name = name
    this.#onChange(name)
  }
}
