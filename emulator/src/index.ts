/** What the emulator in the browser and the one on the server have in common: both have to show the same. */
export { decodeBase64 } from './base64.ts'
export { openCharacter } from './characters.ts'
export { KeyboardProtocol, STACK_MAX } from './keyboard-protocol.ts'
export { mendEmulator } from './mend.ts'
export { ProgramStatus } from './program-status.ts'
export type { BlockedKind, StatusNews, StatusRecords, StatusReport } from './program-status.ts'
export { SCROLLBACK_LINES } from './scrollback.ts'
export type { Size } from './size.ts'
