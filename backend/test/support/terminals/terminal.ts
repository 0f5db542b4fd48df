/** Terminals over a real connection, in version 2 of the protocol. */
import { TerminalClient } from '@slipway/testing'
import type { TestApp } from '../server/app.ts'
import { addressOf } from '../server/listener.ts'

/** Connects and sends the first message, and accepts any answer. `path` is below `/api`, with its query. */
export const openTerminal = async (app: Pick<TestApp, 'app'>, path: string, first: object): Promise<TerminalClient> =>
  TerminalClient.say({ baseUrl: `http://${await addressOf(app)}`, path }, { type: 'auth', v: 2, ...first })

/** Opens a shell in the agent, and waits until it is ready. */
export const openBash = async (app: Pick<TestApp, 'app'>, agent: string, token: string): Promise<TerminalClient> => {
  const terminal = await openTerminal(app, `/agents/${agent}/terminal?mode=bash`, { token, cols: 80, rows: 24 })
  await terminal.until('the prompt', () => terminal.text.includes('$ '))
  return terminal
}
