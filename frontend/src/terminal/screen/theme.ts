import type { DARK_THEMES, LIGHT_THEMES, TerminalPreferences } from '@slipway/protocol'
import type { ITheme } from '@xterm/xterm'
import { DUSK, HARBOUR, INK, PAPER, SAND } from './palettes.ts'

export type Shade = 'dark' | 'light'
export type ThemeName = (typeof DARK_THEMES)[number] | (typeof LIGHT_THEMES)[number]

/** The colours of a theme for the emulator, with its name. */
export interface TerminalTheme {
  readonly name: ThemeName
  /** Name for the user. */
  readonly label: string
  readonly shade: Shade
  readonly colours: ITheme & { readonly background: string; readonly foreground: string }
}

/** The first theme of each shade has the page's own background, so that no frame is visible around the terminal. */
export const THEMES: readonly TerminalTheme[] = [
  { name: 'harbour', label: 'Harbour', shade: 'dark', colours: HARBOUR },
  { name: 'ink', label: 'Ink', shade: 'dark', colours: INK },
  { name: 'dusk', label: 'Dusk', shade: 'dark', colours: DUSK },
  { name: 'paper', label: 'Paper', shade: 'light', colours: PAPER },
  { name: 'sand', label: 'Sand', shade: 'light', colours: SAND },
]

/** The theme that the user chose for pages of this shade. */
export function themeFor(shade: Shade, chosen: Pick<TerminalPreferences, 'darkTheme' | 'lightTheme'>): TerminalTheme {
  const name = shade === 'dark' ? chosen.darkTheme : chosen.lightTheme
  return THEMES.find((theme) => theme.name === name) ?? THEMES.find((theme) => theme.shade === shade)!
}

/**
 * Programs usually choose colours for a dark screen. On a light screen, pale text is darkened until it is readable
 * (AA). On a dark screen, the program's colours stay.
 */
export const MINIMUM_CONTRAST: Record<Shade, number> = { dark: 1, light: 4.5 }

/** Colours of search matches. xterm's decorations accept `#rrggbb` only. */
export const MATCH_COLOURS: Record<Shade, { match: string; active: string }> = {
  dark: { match: '#4a3b12', active: '#9a6b00' },
  light: { match: '#fde9b0', active: '#f7b733' },
}
