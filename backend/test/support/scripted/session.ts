/** A session for which the test plays the program. */
import type { Ending } from '../../../src/modules/sessions/ending.ts'
import { Session } from '../../../src/modules/terminal/session/session.ts'
import { ScriptedPty } from './pty.ts'

interface Changes {
  readonly id?: string
  readonly agentName?: string
  readonly from?: number
  readonly to?: number
  readonly answers?: boolean
  readonly keepSeconds?: number
  readonly onWaits?: () => void
  readonly onFailure?: (error: unknown) => void
  readonly onEnd?: (ending: Ending, goesOn: boolean) => void
}

/** `told` receives the session's ending. */
export const scriptedSession = ({
  id = 's',
  agentName = 'a',
  from = 0,
  to = 0,
  answers = false,
  keepSeconds = 300,
  onWaits = () => undefined,
  onFailure = () => undefined,
  onEnd,
}: Changes = {}) => {
  const pty = new ScriptedPty()
  const told: Ending[] = []
  const session = new Session({
    id,
    pty,
    mode: 'bash',
    agentName,
    size: { cols: 80, rows: 24 },
    from,
    to,
    answers,
    keepSeconds: () => Promise.resolve(keepSeconds),
    onWaits,
    onFailure,
    onEnd: (ending, goesOn) => {
      told.push(ending)
      onEnd?.(ending, goesOn)
    },
  })
  return { pty, session, told }
}
