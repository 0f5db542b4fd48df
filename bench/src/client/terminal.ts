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
  /** Drops the connection without a close frame, as a laptop does when its lid is closed. */
  cut(): void
}

/** More fields of the first message of version 2. */
export type Hello = Partial<Record<'client' | 'takeover' | 'cols' | 'rows', string | number | boolean>>

/** Resolves once the server has accepted the client. Otherwise rejects with the server's message. */
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
