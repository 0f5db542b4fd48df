/** Everything that the emulator of a page knows, cell by cell. */
import type { Terminal } from '@xterm/headless'
import type { Page } from 'playwright'
import { until } from './until.ts'

type WithTerminal = HTMLElement & { readonly xterm?: Terminal }
type Core = {
  readonly coreService: { readonly isCursorHidden: boolean }
  readonly coreMouseService: { readonly activeEncoding: string }
  readonly buffer: { readonly scrollTop: number; readonly scrollBottom: number }
}

export interface Everything {
  readonly size: readonly [cols: number, rows: number]
  readonly shown: string
  readonly cursor: readonly number[]
  readonly modes: Terminal['modes']
  readonly cursorHidden: boolean
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
      return `{${colours};${flags.map((flag) => (flag ? 1 : 0)).join('')}}`
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
      mouse: core.coreMouseService.activeEncoding,
      region: [core.buffer.scrollTop, core.buffer.scrollBottom],
      normal: linesOf(normal),
      alternate: active.type === 'alternate' ? linesOf(alternate) : [],
    }
  })

/** So long it has to look the same to count as standing still, in milliseconds. */
const STILL_MS = 400

/** The same, as soon as it stays as it is. */
export const settled = async (page: Page): Promise<Everything> => {
  let last = ''
  let since = 0
  return until('the screen to stand still', async () => {
    const now = await everything(page)
    const text = JSON.stringify(now)
    if (text !== last) since = Date.now()
    last = text
    return Date.now() - since >= STILL_MS && now
  })
}
