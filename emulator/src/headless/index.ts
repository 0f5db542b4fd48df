/** The emulator without a display, for the server's mirrors and for tests. */
export { createEmulator } from './emulator.ts'
export type { Cell, Emulator } from './emulator.ts'
export { Pending } from './pending.ts'
export { PRINT_BYTES, repaint, repainting } from './repaint.ts'
export { Scrollback } from './scrollback.ts'
export { canSkim } from './skim.ts'
export { afterTear, CANCEL, gapIn } from './torn.ts'
export { Unfinished } from './unfinished.ts'
