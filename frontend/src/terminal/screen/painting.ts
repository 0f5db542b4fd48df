import { FRAME_MAX_MS, SynchronizedOutput } from '@slipway/emulator'
import type { Terminal } from '@xterm/xterm'
import { afterMs, type Schedule } from '@/lib/timing/schedule.ts'

/** Duration of one frame of a display, in milliseconds. More frames are never visible. */
const DISPLAYED_MS = 16
/** Parameter of `CSI J` for the scrollback above the screen. */
const SCROLLED_AWAY = 3

/** Internals of xterm.js 5.5.0 and its renderers, which package.json pins. */
interface Core {
  readonly _renderService: RenderService
  readonly viewport: Viewport
  readonly _bufferService: {
    /** Whether the view keeps its position while lines are printed. */
    isUserScrolling: boolean
    readonly buffer: { ydisp: number; readonly ybase: number }
  }
  readonly _inputHandler: { readonly _dirtyRowTracker: { readonly start: number; readonly end: number } }
  /** `isScrolled`: the scrollbar scrolled, not a program or a key. */
  scrollLines(lines: number, isScrolled?: boolean, ...rest: unknown[]): void
}
interface RenderService {
  readonly _renderer: { readonly value: Renderer | undefined }
  readonly _renderDebouncer: { _innerRefresh(): void }
  _needsSelectionRefresh: boolean
  _renderRows(start: number, end: number): void
  refreshRows(start: number, end: number): void
  setRenderer(renderer: Renderer): void
}
interface Renderer {
  clear(): void
  handleSelectionChanged(...selection: unknown[]): void
  /** Layers of the canvas renderer. The cursor's layer blinks on its own timer. */
  readonly _renderLayers?: readonly { _render?(...args: unknown[]): void }[]
}
interface Viewport {
  syncScrollArea(): void
  _refresh(isImmediate: boolean): void
  _innerRefresh(): void
  _refreshAnimationFrame: number | null
}

/**
 * Stops painting while a program is inside a frame (synchronized output), for at most {@link FRAME_MAX_MS}. If the
 * program reprints everything within a frame, a view that was scrolled up keeps its position. Create it when the
 * terminal is open.
 */
export class Painting {
  readonly synchronized: SynchronizedOutput
  readonly #terminal: Terminal
  readonly #core: Core
  readonly #schedule: Schedule
  #cancel = (): void => undefined
  #isStopped = false
  /** Rows to paint after the frame. */
  #owedRows: readonly [start: number, end: number] | null = null
  #isClearOwed = false
  #paintedAt = -Infinity
  /** First line to show after the frame, if the frame dropped the view's lines. Null if it did not. */
  #view: number | null = null

  constructor(terminal: Terminal, schedule: Schedule = afterMs) {
    this.#terminal = terminal
    this.#core = (terminal as unknown as { readonly _core: Core })._core
    this.#schedule = schedule
    this.synchronized = new SynchronizedOutput(terminal, (isHeld) => (isHeld ? this.#stop() : this.#goOn(true)))
    this.#holdRows()
    this.#holdScrollbar()
    this.#keepView()
    // A resize clears the old painting, so paint at once.
    terminal.onResize(() => this.#isStopped && this.#goOn(false))
  }

  dispose(): void {
    this.#cancel()
    this.synchronized.dispose()
  }

  /** Whether painting stops now, even if the timer is late. */
  get #isHeld(): boolean {
    return this.#isStopped && this.synchronized.isHeld
  }

  #stop(): void {
    this.#paintDue()
    this.#isStopped = true
    this.#cancel()
    this.#cancel = this.#schedule(() => this.#goOn(false), FRAME_MAX_MS)
  }

  /** `isWhole`: the program has ended the frame, so it is complete. */
  #goOn(isWhole: boolean): void {
    const { _renderService: service, viewport } = this.#core
    this.#cancel()
    this.#isStopped = false
    if (this.#view !== null) this.#showView(isWhole)
    if (this.#isClearOwed) {
      service._renderer.value?.clear()
      this.#owe(0, this.#terminal.rows - 1)
    }
    if (this.#owedRows) service.refreshRows(...this.#owedRows)
    this.#owedRows = null
    this.#isClearOwed = false
    viewport.syncScrollArea()
    viewport._refresh(false)
  }

  /**
   * Paints the changes from before the frame. Otherwise a program that starts its next frame at once might never be
   * painted. The browser asks for a paint now and then, and that may always be inside a frame.
   */
  #paintDue(): void {
    if (performance.now() - this.#paintedAt < DISPLAYED_MS) return
    const { _renderService: service, viewport, _inputHandler, _bufferService } = this.#core
    const { ybase, ydisp } = _bufferService.buffer
    const last = this.#terminal.rows - 1
    const [start, end] = [
      _inputHandler._dirtyRowTracker.start + ybase - ydisp,
      _inputHandler._dirtyRowTracker.end + ybase - ydisp,
    ]
    if (start <= last) service.refreshRows(start, Math.min(end, last))
    service._renderDebouncer._innerRefresh()
    if (viewport._refreshAnimationFrame !== null) viewport._innerRefresh()
  }

  #holdRows(): void {
    const { _renderService: service } = this.#core
    const renderRows = service._renderRows.bind(service)
    service._renderRows = (start, end) => {
      if (this.#isHeld) return this.#owe(start, end)
      this.#paintedAt = performance.now()
      renderRows(start, end)
    }
    const setRenderer = service.setRenderer.bind(service)
    service.setRenderer = (renderer) => {
      this.#holdRenderer(renderer)
      setRenderer(renderer)
    }
    if (service._renderer.value) this.#holdRenderer(service._renderer.value)
  }

  #owe(start: number, end: number): void {
    const [first, last] = this.#owedRows ?? [start, end]
    this.#owedRows = [Math.min(first, start), Math.max(last, end)]
  }

  /** Stops what a renderer draws without a request to paint. */
  #holdRenderer(renderer: Renderer): void {
    const { _renderService: service } = this.#core
    const clear = renderer.clear.bind(renderer)
    renderer.clear = () => {
      if (this.#isHeld) this.#isClearOwed = true
      else clear()
    }
    const select = renderer.handleSelectionChanged.bind(renderer)
    renderer.handleSelectionChanged = (...selection) => {
      if (this.#isHeld) service._needsSelectionRefresh = true
      else select(...selection)
    }
    for (const layer of renderer._renderLayers ?? []) {
      const render = layer._render?.bind(layer)
      if (render !== undefined) layer._render = (...args) => void (this.#isHeld || render(...args))
    }
  }

  #holdScrollbar(): void {
    const { viewport } = this.#core
    const refresh = viewport._innerRefresh.bind(viewport)
    viewport._innerRefresh = () => {
      if (this.#isHeld) viewport._refreshAnimationFrame = null
      else refresh()
    }
  }

  #keepView(): void {
    const { parser, buffer } = this.#terminal
    const core = this.#core
    for (const prefix of ['', '?'])
      parser.registerCsiHandler({ ...(prefix && { prefix }), final: 'J' }, ([what]) => {
        const { isUserScrolling } = core._bufferService
        if (what === SCROLLED_AWAY && this.#isHeld && isUserScrolling && buffer.active.type === 'normal')
          this.#view ??= buffer.active.viewportY
        return false
      })
    const scrollLines = core.scrollLines.bind(core)
    core.scrollLines = (lines, isScrolled, ...rest) => {
      // A scrollbar moved during the frame refers to the lines before the frame.
      if (this.#view !== null && lines !== 0) {
        this.#view = isScrolled === true ? core._bufferService.buffer.ydisp + lines : null
        if (this.#view !== null && this.#isHeld) return
      }
      scrollLines(lines, isScrolled, ...rest)
    }
  }

  /** Scrolls as far down as there are lines. If the frame is not complete, more lines may follow. */
  #showView(isWhole: boolean): void {
    const { _bufferService: service } = this.#core
    if (this.#terminal.buffer.active.type === 'normal') {
      service.buffer.ydisp = Math.min(this.#view!, service.buffer.ybase)
      service.isUserScrolling = !isWhole || service.buffer.ydisp < service.buffer.ybase
    }
    if (isWhole) this.#view = null
    this.#owe(0, this.#terminal.rows - 1)
  }
}
