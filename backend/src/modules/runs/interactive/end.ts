/** How an interactive run ends, from the end of its terminal. */
import { NOTHING_SAID } from '../../providers/headless/parts/verdict.ts'
import type { Ending } from '../../sessions/ending.ts'
import { endOf, type Names, type RunEnd, terminatedBy } from '../end.ts'

/** A person has seen what it did, so an exit without an error is no failure. */
const WORKED = { ...NOTHING_SAID, hasWorked: true }

/** The end of a terminal, as its session or its record says it. */
export type EndedTerminal = Pick<Ending, 'reason' | 'message'> & { readonly exitCode?: number | null }

/** `user` is the e-mail address of the run's user, who ends it with the terminal's Disconnect. */
export const endOfTerminal = (
  { reason, message, exitCode = null }: EndedTerminal,
  names: Names,
  user: string,
): RunEnd => {
  switch (reason) {
    case 'exited':
    case 'out_of_memory':
    case 'container_stopped':
      return endOf({ kind: 'exited', exit: { cause: reason, exitCode } }, WORKED, names)
    case 'disconnected':
      return terminatedBy(user)
    case 'connection_lost':
      return { ...terminatedBy(user), error: 'Its user did not come for a day, so its terminal was closed.' }
    default:
      return endOf({ kind: 'ended', ending: { reason, message, code: 1000 } }, WORKED, names)
  }
}
