/** What tests compare emulators by, and feed them with. */
export { stateOf, written } from './emulator-state.ts'
export { anything, numbers } from './program-output.ts'
