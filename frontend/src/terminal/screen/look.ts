import { BUNDLED_FONT, type TerminalPreferences } from '@slipway/protocol'
import type { Terminal } from '@xterm/xterm'
import { MINIMUM_CONTRAST, themeFor, type Shade, type TerminalTheme } from './theme.ts'

/** Name of the font that the page ships. */
const BUNDLED_FACE = 'JetBrains Mono Variable'
/** Symbols that the font lacks. They come before the device's fonts, some of which draw coloured pictures. */
const SYMBOLS_FACE = 'Slipway Symbols'
/** Default font size, in CSS pixels. On a phone it gives 50 columns. */
const FONT_SIZE = 14
const FONT_SIZE_PHONE = 12

/** The look of a terminal. */
export interface Look {
  readonly theme: TerminalTheme
  readonly fontFamily: string
  /** In CSS pixels. */
  readonly fontSize: number
  readonly lineHeight: number
}

/** If the device lacks the font, the page's own font is used. */
export function fontStack(name: string): string {
  const own = name === BUNDLED_FONT ? '' : `"${name}", `
  return `${own}"${BUNDLED_FACE}", "${SYMBOLS_FACE}", ui-monospace, Menlo, Consolas, monospace`
}

export function lookOf(chosen: TerminalPreferences, shade: Shade, phone: boolean): Look {
  return {
    theme: themeFor(shade, chosen),
    fontFamily: fontStack(chosen.fontFamily),
    fontSize: chosen.fontSize ?? (phone ? FONT_SIZE_PHONE : FONT_SIZE),
    lineHeight: chosen.lineHeight,
  }
}

/** The emulator options that belong to a look. */
export const optionsOf = ({ theme, fontFamily, fontSize, lineHeight }: Look) => ({
  fontFamily,
  fontSize,
  lineHeight,
  theme: theme.colours,
  minimumContrastRatio: MINIMUM_CONTRAST[theme.shade],
})

/** The caller has to fit the grid afterwards, because the cell size may change. */
export function applyLook(terminal: Terminal, look: Look): void {
  Object.assign(terminal.options, optionsOf(look))
}
