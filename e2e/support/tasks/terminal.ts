/** Terminals in which tasks go on. */
import { createEmulator } from '@slipway/emulator/headless'
import { written } from '@slipway/emulator/testing'
import type { CodingSessionOutput, CodingTerminal } from '@slipway/protocol'
import { TerminalClient, until } from '@slipway/testing'
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

/** An interface that has just started, or that takes fast keys for a paste, loses some. They come again after this time. */
const AGAIN_MS = 5_000
const PATIENCE_MS = 120_000

/** Types into the interface of a CLI until it shows something. */
const typeUntil = async (
  terminal: TerminalClient,
  keys: string,
  what: string,
  isShown: () => boolean,
): Promise<void> => {
  let typedAt = -Infinity
  const look = (): boolean => {
    if (isShown()) return true
    if (performance.now() - typedAt < AGAIN_MS) return false
    typedAt = performance.now()
    terminal.type(keys)
    return false
  }
  await until(what, look, PATIENCE_MS)
}

/** Types a prompt into the interface of a CLI, and sends it. Resolves when the screen shows the answer. */
export const prompt = async (
  terminal: TerminalClient,
  screen: Emulated,
  { text, answer }: { readonly text: string; readonly answer: string },
): Promise<void> => {
  await typeUntil(terminal, text, `${text} to be shown`, () => screen.text.includes(text))
  await typeUntil(terminal, '\r', `the answer ${answer}`, () => screen.text.includes(answer))
}
