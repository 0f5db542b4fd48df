/** Terminals in which tasks go on. */
import { createEmulator } from '@slipway/emulator/headless'
import { written } from '@slipway/emulator/testing'
import type { CodingSessionOutput, CodingTerminal } from '@slipway/protocol'
import { actUntil, TerminalClient } from '@slipway/testing'
import type { Client } from '../api.ts'
import { type Emulated, screenOf } from '../terminal/emulated.ts'

/** Asks where to open the terminal of a task. */
export const terminalOf = (client: Client, task: string): Promise<CodingTerminal> =>
  client.ok<CodingTerminal>('POST', `/coding-agents/sessions/${task}/terminal`)

/** Connects to the terminal of a task, with the size of {@link Emulated}. */
export const openTerminal = (client: Client, { socket }: Pick<CodingTerminal, 'socket'>): Promise<TerminalClient> =>
  TerminalClient.open(
    { baseUrl: client.baseUrl, path: socket.replace(/^\/api/, '') },
    { type: 'auth', token: client.token, v: 2, cols: 120, rows: 40 },
  )

/**
 * The screen of an interactive task that no client has joined, as its output draws it. An interface draws a text in pieces, so
 * its output need not contain the text.
 */
export const screenOfTask = async (client: Client, task: string): Promise<string> => {
  const { output } = await client.ok<CodingSessionOutput>('GET', `/coding-agents/sessions/${task}/output`)
  const emulator = createEmulator({ cols: 120, rows: 40 })
  await written(emulator, output)
  return screenOf(emulator.terminal)
}

/** Types a prompt into the interface of a CLI, and sends it. Resolves when the screen shows the answer. */
export const prompt = async (
  terminal: TerminalClient,
  screen: Emulated,
  { text, answer }: { readonly text: string; readonly answer: string },
): Promise<void> => {
  await actUntil(
    `${text} to be shown`,
    () => screen.text.includes(text),
    () => terminal.type(text),
  )
  await actUntil(
    `the answer ${answer}`,
    () => screen.text.includes(answer),
    () => terminal.type('\r'),
  )
}
