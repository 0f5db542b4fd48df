/** Lines that an emulator keeps above the screen. */
export const SCROLLBACK_LINES = 10_000
