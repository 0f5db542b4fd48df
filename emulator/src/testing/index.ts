/** Helpers to compare emulators, and output to feed them with. */
export { stateOf, written } from './emulator-state.ts'
export { colourful, emulatorWith, link, printedLines, printedText } from './large-prints.ts'
export { anything, numbers } from './program-output.ts'
export { MEASURED, type Measured } from './widths.ts'
