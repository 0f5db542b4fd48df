/** The whole state of a page's emulator, cell by cell. */
import { until } from '@slipway/testing'
import type { Terminal } from '@xterm/headless'
import type { Page } from 'playwright'

/** The emulator's browser-only method, and the time of its last change. */
type PageTerminal = Terminal & {
  onWriteParsed(listener: () => void): unknown
  changedAt?: number
}
type WithTerminal = HTMLElement & { readonly xterm?: PageTerminal }
type Core = {
  readonly coreService: { readonly isCursorHidden: boolean }
  readonly coreMouseService: { readonly activeEncoding: string }
  readonly buffer: { readonly scrollTop: number; readonly scrollBottom: number }
  readonly _inputHandler: { readonly _windowTitle: string }
  readonly _oscLinkService: { getLinkData(id: number): { readonly uri: string } | undefined }
}
/** Further properties of a cell in xterm.js 5.5.0. */
type Looks = {
  getUnderlineStyle(): number
  getUnderlineColorMode(): number
  getUnderlineColor(): number
  /** If a cell has none, `extended` still holds those of the cell before. */
  hasExtendedAttrs(): number
  readonly extended: { readonly urlId: number }
}

export interface Everything {
  readonly size: readonly [cols: number, rows: number]
  readonly shown: string
  readonly cursor: readonly number[]
  readonly modes: Terminal['modes']
  readonly cursorHidden: boolean
  readonly cursorShape: string
  readonly cursorBlinks: boolean | undefined
  readonly title: string
  readonly mouse: string
  readonly region: readonly number[]
  readonly normal: readonly string[]
  readonly alternate: readonly string[]
}

export const everything = (page: Page): Promise<Everything> =>
  page.evaluate(() => {
    const selector = '[data-testid="terminal-panel"] [data-testid="terminal"]'
    const terminal = document.querySelector<WithTerminal>(selector)!.xterm!
    const { _core: core } = terminal as unknown as { readonly _core: Core }
    const { active, normal, alternate } = terminal.buffer
    const cell = active.getNullCell()
    const describe = (): string => {
      const flags = [
        cell.isBold(),
        cell.isDim(),
        cell.isItalic(),
        cell.isUnderline(),
        cell.isBlink(),
        cell.isInverse(),
        cell.isInvisible(),
        cell.isStrikethrough(),
        cell.isOverline(),
      ]
      if (cell.isAttributeDefault()) return ''
      const colours = `${cell.getFgColorMode()}:${cell.getFgColor()};${cell.getBgColorMode()}:${cell.getBgColor()}`
      const looks = cell as unknown as Looks
      const underline = cell.isUnderline()
        ? `;${looks.getUnderlineStyle()}:${looks.getUnderlineColorMode()}:${looks.getUnderlineColor()}`
        : ''
      const link = looks.hasExtendedAttrs() ? (core._oscLinkService.getLinkData(looks.extended.urlId)?.uri ?? '') : ''
      return `{${colours};${flags.map((flag) => (flag ? 1 : 0)).join('')}${underline}${link}}`
    }
    const linesOf = (buffer: typeof active): string[] =>
      Array.from({ length: buffer.length }, (_, y) => {
        const line = buffer.getLine(y)!
        let text = line.isWrapped && y > 0 ? '>' : ' '
        let before = ''
        for (let x = 0; x < terminal.cols; x++) {
          line.getCell(x, cell)
          const now = describe()
          text += `${now === before ? '' : now || '{}'}${cell.getWidth() === 0 ? '' : cell.getChars() || ' '}`
          before = now
        }
        return text
      })
    return {
      size: [terminal.cols, terminal.rows] as const,
      shown: active.type,
      cursor: [active.cursorX, active.cursorY, active.baseY, active.viewportY],
      modes: terminal.modes,
      cursorHidden: core.coreService.isCursorHidden,
      cursorShape: terminal.options.cursorStyle ?? '',
      cursorBlinks: terminal.options.cursorBlink,
      title: core._inputHandler._windowTitle,
      mouse: core.coreMouseService.activeEncoding,
      region: [core.buffer.scrollTop, core.buffer.scrollBottom],
      normal: linesOf(normal),
      alternate: active.type === 'alternate' ? linesOf(alternate) : [],
    }
  })

/** The fields and lines in which two states differ, each with both values. Empty if the states are the same. */
export const differences = (before: Everything, after: Everything): string =>
  Object.entries(before)
    .flatMap(([field, value]) => {
      const [one, other] = [value, after[field as keyof Everything]].map((state) =>
        Array.isArray(state) ? state.map(String) : [JSON.stringify(state)],
      )
      return Array.from({ length: Math.max(one!.length, other!.length) }, (_, index) => index)
        .filter((index) => one![index] !== other![index])
        .map((index) => `${field} ${index}: ${one![index]} became ${other![index]}`)
    })
    .join('\n')

/** The screen is stable after this time without output or resize, in milliseconds. */
const STILL_MS = 400

/** Time since the last change. The first call starts to watch. */
const stillFor = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const selector = '[data-testid="terminal-panel"] [data-testid="terminal"]'
    const terminal = document.querySelector<WithTerminal>(selector)!.xterm!
    if (terminal.changedAt === undefined) {
      const note = (): void => void (terminal.changedAt = performance.now())
      terminal.onWriteParsed(note)
      terminal.onResize(note)
      note()
    }
    return performance.now() - terminal.changedAt!
  })

/** The state once it is stable. Reading a large buffer takes a second. */
export const settled = async (page: Page): Promise<Everything> => {
  await until('the screen to stand still', async () => (await stillFor(page)) >= STILL_MS)
  return everything(page)
}
