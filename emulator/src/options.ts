/** Lines of scrollback. */
export const SCROLLBACK_LINES = 10_000

/** Options of both emulators, in the browser and on the server. */
export const EMULATOR_OPTIONS = {
  allowProposedApi: true,
  scrollback: SCROLLBACK_LINES,
  // xterm.js logs an error for each byte that it cannot parse. Hostile output would fill the server's log, and would
  // block the page for seconds in the browser's console.
  logLevel: 'off',
} as const
