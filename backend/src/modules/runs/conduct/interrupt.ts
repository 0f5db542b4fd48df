/** Asks the CLI of a run that ends for a result. */
import type { Log } from '../../../lib/log.ts'
import type { Outcome } from '../end.ts'
import type { ConductedRun } from './conducted.ts'

/** How long a CLI may take to answer an interrupt, in seconds. Then it is ended like a closed terminal. */
export const INTERRUPT_SECONDS = 5
/** The outcomes for which a CLI is asked for a result. */
const INTERRUPTED = new Set<Outcome['kind']>([
  'timed_out',
  'stalled',
  'terminated',
  'max_budget',
  'max_turns',
  'budget_exhausted',
])

/**
 * Where a CLI then prints a result, it is asked for one. A user who lost the right does not wait for it. Answers whether its
 * program was asked, and may take {@link INTERRUPT_SECONDS}.
 */
export const interrupt = async (run: ConductedRun, { kind }: Outcome, log: Log): Promise<boolean> => {
  const { program, reader, answersInterrupt, held, people } = run
  // It may be blocked on its output, and could not react then.
  program.resume()
  if (!INTERRUPTED.has(kind)) return false
  const { interruption } = reader
  if (people && interruption !== null) people.interrupt(interruption)
  else if (!answersInterrupt) return false
  else
    await program.signal('INT').catch((error: unknown) => {
      log.warn({ sessionId: held.id, err: error }, 'a run could not be interrupted')
    })
  return true
}
