/** A terminal through the platform: the WebSocket's protocol, version 1 or 2. */
import { TerminalSocket } from '@slipway/testing'
import { type Channel, Inbox } from './channel.ts'

export interface TerminalTarget {
  readonly url: string
  readonly token: string
  readonly version: 1 | 2
}

export interface TerminalChannel extends Channel {
  resize(cols: number, rows: number): void
  /** Loses the connection, as a laptop does that is closed. */
  cut(): void
}

/** What the first message of version 2 says besides. */
export type Hello = Partial<Record<'client' | 'takeover' | 'cols' | 'rows', string | number | boolean>>

/** Resolves once the server has let the client in; rejects with the server's own sentence otherwise. */
export const openTerminal = async (
  { url, token, version }: TerminalTarget,
  hello: Hello = {},
): Promise<TerminalChannel> => {
  const terminal = new TerminalSocket(url, { acknowledges: version === 2 })
  const inbox = new Inbox()
  terminal.onOutput(inbox.take)
  await terminal.enter({ type: 'auth', token, ...(version === 2 ? { v: 2, ...hello } : {}) })
  return {
    write: (data) => terminal.type(data),
    onData: inbox.listen,
    close: () => terminal.disconnect(),
    cut: () => terminal.cut(),
    resize: (cols, rows) => terminal.resize(cols, rows),
  }
}
