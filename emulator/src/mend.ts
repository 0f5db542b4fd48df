import type { Terminal } from '@xterm/headless'
import { joinCharacters } from './characters.ts'
import { boundCounts } from './counts.ts'
import { surviveFaults } from './faults.ts'
import { boundLinks } from './links.ts'

/** Everything in which xterm.js 5.5 is not as it should be: both have to be mended alike, to show the same. */
export const mendEmulator = (terminal: Terminal): void => {
  boundCounts(terminal)
  boundLinks(terminal)
  surviveFaults(terminal)
  joinCharacters(terminal)
}
