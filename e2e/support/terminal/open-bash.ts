import { TerminalClient } from '@slipway/testing'
import type { Client } from '../api.ts'

/** Opens Bash in the agent, with the size of an old terminal. `first` is added to the first message. */
export const openBash = (client: Client, agentName: string, first: object = {}): Promise<TerminalClient> =>
  TerminalClient.open(
    { baseUrl: client.baseUrl, path: `/agents/${agentName}/terminal?mode=bash` },
    { type: 'auth', token: client.token, v: 2, cols: 80, rows: 24, ...first },
  )
