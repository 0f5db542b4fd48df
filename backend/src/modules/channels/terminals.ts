/** The terminals that wait for their users, as messages tell of them. `app.ts` hands in where they are. */
import type { TerminalNeed } from '@slipway/protocol'

/** A terminal whose program waits for its user. */
export interface WaitingTerminal {
  readonly userId: string
  readonly agent: string
  /** Whether the agent is the system agent, which has another page. */
  readonly isSystem: boolean
  readonly needs: TerminalNeed
  /** How often it has begun to wait: it differs between two waits of one terminal. */
  readonly times: number
}

export interface WaitingTerminals {
  /** By session. As many as there are terminals. */
  needing(): ReadonlyMap<string, WaitingTerminal>
}
