/** Lines that an emulator keeps above the screen. */
export const SCROLLBACK_LINES = 10_000

/** Options that the emulator in the browser and the one on the server share. */
export const EMULATOR_OPTIONS = {
  allowProposedApi: true,
  scrollback: SCROLLBACK_LINES,
  // xterm.js writes an error for each byte that it cannot parse: hostile output would fill the server's log, and make
  // the page wait a second at a time for the browser's console.
  logLevel: 'off',
} as const
