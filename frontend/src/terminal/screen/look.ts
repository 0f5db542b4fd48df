import { BUNDLED_FONT, type TerminalPreferences } from '@slipway/protocol'
import type { Terminal } from '@xterm/xterm'
import { MINIMUM_CONTRAST, themeFor, type Shade, type TerminalTheme } from './theme.ts'

/** The name under which the page brings its font. */
const BUNDLED_FACE = 'JetBrains Mono Variable'
/** The symbols that it lacks; before the device's own fonts, where some are coloured pictures. */
const SYMBOLS_FACE = 'Slipway Symbols'
/** In CSS pixels, for whoever has not chosen; on a phone small enough for 50 columns. */
const FONT_SIZE = 14
const FONT_SIZE_PHONE = 12

/** How a terminal looks. */
export interface Look {
  readonly theme: TerminalTheme
  readonly fontFamily: string
  /** In CSS pixels. */
  readonly fontSize: number
  readonly lineHeight: number
}

/** What is drawn where a device lacks the font is the page's own. */
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

/** The part of the emulator's options that a look is. */
export const optionsOf = ({ theme, fontFamily, fontSize, lineHeight }: Look) => ({
  fontFamily,
  fontSize,
  lineHeight,
  theme: theme.colours,
  minimumContrastRatio: MINIMUM_CONTRAST[theme.shade],
})

/** Afterwards the grid has to be fitted: a letter may have another size. */
export function applyLook(terminal: Terminal, look: Look): void {
  Object.assign(terminal.options, optionsOf(look))
}
