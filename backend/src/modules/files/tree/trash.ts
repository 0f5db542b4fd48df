/** Removes the oldest deletions from the trash of homes. No request waits for it, since that may take minutes. */
import { AGENT_HOME, TRASH_COUNT, TRASH_KIB } from '@slipway/protocol'
import type { Log } from '../../../lib/log.ts'
import { MINUTE_MS } from '../../../lib/time/clock.ts'
import type { AgentRow } from '../../agents/rows.ts'
import { scriptArgv } from '../program.ts'
import type { FilePrograms } from '../programs.ts'

/** The trash, as in `change.sh`. */
export const TRASH = `${AGENT_HOME}/.slipway-trash`
/** Longest time in which the trash of one agent is emptied, in milliseconds. */
const EMPTY_MS = 30 * MINUTE_MS

interface Parts {
  readonly programs: Pick<FilePrograms, 'runBeside'>
  readonly log: Log
}

export class Trash {
  readonly #parts: Parts
  /** The agents whose trash is being emptied, and whether a deletion came meanwhile. */
  readonly #emptied = new Map<string, { isAskedAgain: boolean }>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Call it after each deletion. Returns at once. A failure is only logged: the next deletion tries again. */
  empty(row: AgentRow): void {
    const current = this.#emptied.get(row.id)
    if (current) current.isAskedAgain = true
    else void this.#empty(row)
  }

  async #empty(row: AgentRow): Promise<void> {
    const argv = scriptArgv('change', 'empty', String(TRASH_COUNT), String(TRASH_KIB))
    const current = { isAskedAgain: true }
    this.#emptied.set(row.id, current)
    while (current.isAskedAgain) {
      current.isAskedAgain = false
      await this.#parts.programs
        .runBeside(row, argv, { timeoutMs: EMPTY_MS, maxOutputBytes: 0 })
        .catch((error: unknown) => this.#parts.log.warn({ agentId: row.id, err: error }, 'the trash was not emptied'))
    }
    this.#emptied.delete(row.id)
  }
}
