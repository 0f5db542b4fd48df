/** A terminal as a page has it: a version 2 client with an emulator, which shows screens and output and acknowledges them. */
import type { ServerFrame } from '@slipway/protocol'
import { createEmulator, type Emulator } from '@slipway/emulator/headless'
import { stateOf } from '@slipway/emulator/testing'
import type { Client } from './api.ts'
import { TerminalClient } from './terminal.ts'

export interface Size {
  readonly cols: number
  readonly rows: number
}

export class Shown {
  readonly client: TerminalClient
  readonly emulator: Emulator
  sessionId = ''
  #offset = 0
  /** The next binary message is a screen. */
  #isScreen = false

  private constructor(client: TerminalClient, size: Size) {
    this.client = client
    this.emulator = createEmulator(size)
    client.socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) this.#show(data)
      else this.#heard(JSON.parse(data.toString()) as ServerFrame)
    })
  }

  /** A page that has nothing yet. */
  static async open({ baseUrl, token }: Client, agent: string, size: Size): Promise<Shown> {
    const client = new TerminalClient({ baseUrl, path: `/agents/${agent}/terminal?mode=bash` })
    const shown = new Shown(client, size)
    await client.refused
    client.send({ type: 'auth', token, v: 2, ...size })
    await client.until('auth_success', () => client.frames[0]?.type === 'auth_success')
    return shown
  }

  /** How much of the session's output it was shown, in bytes. */
  get offset(): number {
    return this.#offset
  }

  get text(): string {
    const { active } = this.emulator.terminal.buffer
    return Array.from({ length: active.length }, (_, y) => active.getLine(y)!.translateToString(true)).join('\n')
  }

  resize(size: Size): void {
    this.client.send({ type: 'resize', ...size })
    this.emulator.terminal.resize(size.cols, size.rows)
  }

  /** What is not the same as there, at most some of it. */
  differences(other: Pick<Shown, 'emulator'>): string[] {
    const [one, two] = [stateOf(this.emulator), stateOf(other.emulator)]
    const found: string[] = []
    for (const key of Object.keys(one) as (keyof typeof one)[]) {
      const [mine, theirs] = [[one[key]].flat(), [two[key]].flat()]
      for (let at = 0; at < Math.max(mine.length, theirs.length); at++) {
        const [here, there] = [JSON.stringify(mine[at]), JSON.stringify(theirs[at])]
        if (here !== there) found.push(`${key} ${at}: ${here} is ${there}`.slice(0, 500))
      }
    }
    return found.slice(0, 5)
  }

  #heard(frame: ServerFrame): void {
    if (frame.type !== 'auth_success' && frame.type !== 'snapshot' && frame.type !== 'size') return
    if (frame.cols !== undefined && frame.rows !== undefined) this.emulator.terminal.resize(frame.cols, frame.rows)
    if (frame.type === 'size') return
    this.#offset = frame.offset ?? 0
    if (frame.type === 'snapshot') this.#isScreen = frame.bytes > 0
    else this.sessionId = frame.sessionId ?? ''
  }

  #show(data: Buffer): void {
    if (!this.#isScreen) this.#offset += data.length
    this.#isScreen = false
    const offset = this.#offset
    this.emulator.terminal.write(data, () => {
      if (this.client.socket.readyState === this.client.socket.OPEN) this.client.send({ type: 'ack', offset })
    })
  }
}
