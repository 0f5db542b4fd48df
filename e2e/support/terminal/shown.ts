/** A terminal as a page has it: a version 2 client with an emulator, which shows screens and output and acknowledges them. */
import type { ServerFrame } from '@slipway/protocol'
import { createEmulator, type Emulator } from '@slipway/emulator/headless'
import { stateOf } from '@slipway/emulator/testing'
import { TerminalClient } from '@slipway/testing'
import type { Client } from '../api.ts'

export interface Size {
  readonly cols: number
  readonly rows: number
}

export class Shown {
  readonly client: TerminalClient
  readonly emulator: Emulator

  private constructor(client: TerminalClient, size: Size) {
    this.client = client
    this.emulator = createEmulator(size)
    client.onFrame((frame) => this.#heard(frame))
    client.onOutput((bytes) => {
      const { offset } = client
      this.emulator.terminal.write(bytes, () => client.acknowledge(offset))
    })
  }

  /** A page that has nothing yet. */
  static async open({ baseUrl, token }: Client, agent: string, size: Size): Promise<Shown> {
    const client = new TerminalClient({ baseUrl, path: `/agents/${agent}/terminal?mode=bash` })
    const shown = new Shown(client, size)
    await client.enter({ type: 'auth', token, v: 2, ...size })
    return shown
  }

  get sessionId(): string {
    return this.client.sessionId
  }

  /** How much of the session's output it was shown, in bytes. */
  get offset(): number {
    return this.client.offset
  }

  get text(): string {
    const { active } = this.emulator.terminal.buffer
    return Array.from({ length: active.length }, (_, y) => active.getLine(y)!.translateToString(true)).join('\n')
  }

  resize(size: Size): void {
    this.client.resize(size.cols, size.rows)
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
  }
}
