import type { Terminal } from '@xterm/headless'
import { joinCharacters } from './characters.ts'
import { boundCounts } from './counts.ts'
import { surviveFaults } from './faults.ts'
import { boundLinks } from './links.ts'

/** Fixes all known faults of xterm.js 5.5. Both emulators need the same fixes, to show the same. */
export const mendEmulator = (terminal: Terminal): void => {
  boundCounts(terminal)
  boundLinks(terminal)
  surviveFaults(terminal)
  joinCharacters(terminal)
}
