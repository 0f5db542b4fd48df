/** Terminals in which tasks go on. */
import type { CodingTerminal } from '@slipway/protocol'
import { TerminalClient, until } from '@slipway/testing'
import type { Client } from '../api.ts'
import type { Emulated } from '../terminal/emulated.ts'

/** Asks where to open the terminal of a task. */
export const terminalOf = (client: Client, task: string): Promise<CodingTerminal> =>
  client.ok<CodingTerminal>('POST', `/coding-agents/sessions/${task}/terminal`)

/** Connects to the terminal of a task, with the size of {@link Emulated}. */
export const openTerminal = (client: Client, { socket }: CodingTerminal): Promise<TerminalClient> =>
  TerminalClient.open(
    { baseUrl: client.baseUrl, path: socket.replace(/^\/api/, '') },
    { type: 'auth', token: client.token, v: 2, cols: 120, rows: 40 },
  )

/** An interface that shows itself before it reads keys loses them. Then they are typed again after this time. */
const RETYPE_MS = 5_000
const PATIENCE_MS = 60_000

/** Types a prompt into the interface of a CLI, and sends it when it is shown. */
export const prompt = async (terminal: TerminalClient, screen: Emulated, text: string): Promise<void> => {
  let typedAt = -Infinity
  const isShown = (): boolean => {
    if (screen.text.includes(text)) return true
    if (performance.now() - typedAt < RETYPE_MS) return false
    typedAt = performance.now()
    terminal.type(text)
    return false
  }
  await until(`${text} to be shown`, isShown, PATIENCE_MS)
  terminal.type('\r')
}
