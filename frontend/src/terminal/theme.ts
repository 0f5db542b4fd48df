import type { ITheme } from '@xterm/xterm'

export type Shade = 'dark' | 'light'

/** The terminal's colours belong to the page's theme; the background is that of the page, so that no frame shows. */
export const TERMINAL_THEMES: Record<Shade, ITheme> = {
  dark: {
    background: '#0b0b0d',
    foreground: '#d6d8dc',
    cursor: '#4fd1b5',
    cursorAccent: '#0b0b0d',
    selectionBackground: '#1f5a52',
    selectionInactiveBackground: '#2a2f33',
    black: '#26272b',
    red: '#f2777a',
    green: '#6fcf97',
    yellow: '#e3b868',
    blue: '#74a8f2',
    magenta: '#c792ea',
    cyan: '#58c9c0',
    white: '#c8cacf',
    brightBlack: '#6f727a',
    brightRed: '#ff9a9c',
    brightGreen: '#95e3b4',
    brightYellow: '#f4d08c',
    brightBlue: '#9cc4ff',
    brightMagenta: '#ddb4f6',
    brightCyan: '#86e2da',
    brightWhite: '#f4f5f6',
  },
  light: {
    background: '#ffffff',
    foreground: '#27272a',
    cursor: '#0d7a6a',
    cursorAccent: '#ffffff',
    selectionBackground: '#b7e4da',
    selectionInactiveBackground: '#e4e4e7',
    black: '#27272a',
    red: '#b91c1c',
    green: '#15703a',
    yellow: '#8a5a00',
    blue: '#1d4fd7',
    magenta: '#8b2fb5',
    cyan: '#0b6b74',
    white: '#6b6b73',
    brightBlack: '#52525b',
    brightRed: '#dc2626',
    brightGreen: '#16803f',
    brightYellow: '#a16a00',
    brightBlue: '#2563eb',
    brightMagenta: '#9d3fcb',
    brightCyan: '#0e7f8a',
    brightWhite: '#3f3f46',
  },
}

/**
 * Programs choose their colours for a dark screen as a rule. On the light one pale text is darkened until it can be
 * read (AA); on the dark one their choice stands.
 */
export const MINIMUM_CONTRAST: Record<Shade, number> = { dark: 1, light: 4.5 }

/** Colours of search hits; xterm's decorations take `#rrggbb` only. */
export const MATCH_COLOURS: Record<Shade, { match: string; active: string }> = {
  dark: { match: '#4a3b12', active: '#9a6b00' },
  light: { match: '#fde9b0', active: '#f7b733' },
}
