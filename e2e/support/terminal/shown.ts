/**
 * A terminal as a page has it: a version 2 client with an emulator, which shows snapshots and output and acknowledges
 * them.
 */
import { createEmulator, type Emulator } from '@slipway/emulator/headless'
import { stateOf, written } from '@slipway/emulator/testing'
import type { ServerFrame, SnapshotFrame } from '@slipway/protocol'
import { type ClientOptions, TerminalClient } from '@slipway/testing'

export interface Size {
  readonly cols: number
  readonly rows: number
}

export interface ShownOptions {
  readonly size: Size
  /** If false, no output is acknowledged until {@link Shown.acknowledge} is called. */
  readonly acknowledges?: boolean
}

export class Shown {
  readonly client: TerminalClient
  readonly emulator: Emulator
  #acknowledges: boolean

  private constructor(client: TerminalClient, { size, acknowledges = true }: ShownOptions) {
    this.client = client
    this.emulator = createEmulator(size)
    this.#acknowledges = acknowledges
    client.onFrame((frame) => this.#heard(frame))
    client.onOutput((bytes) => {
      const { offset } = client
      this.emulator.terminal.write(bytes, () => {
        if (this.#acknowledges) client.acknowledge(offset)
      })
    })
  }

  /** A new page without any output. `first` identifies its user. */
  static async open(to: ClientOptions, first: object, options: ShownOptions): Promise<Shown> {
    const client = new TerminalClient(to)
    const shown = new Shown(client, options)
    await client.enter({ type: 'auth', v: 2, ...options.size, ...first })
    return shown
  }

  get sessionId(): string {
    return this.client.sessionId
  }

  /** Bytes of the session's output shown so far. */
  get offset(): number {
    return this.client.offset
  }

  get text(): string {
    const { active } = this.emulator.terminal.buffer
    return Array.from({ length: active.length }, (_, y) => active.getLine(y)!.translateToString(true)).join('\n')
  }

  /** Snapshots that the server sent in place of skipped output. */
  get snapshots(): readonly SnapshotFrame[] {
    return this.client.of('snapshot')
  }

  /** Acknowledges all output received so far, and later output as it is shown. */
  acknowledge(): void {
    this.#acknowledges = true
    this.client.acknowledge()
  }

  /** The last `count` lines, each character with its style, after all received output has been parsed. */
  async lines(count: number): Promise<string[]> {
    await written(this.emulator, '')
    return linesOf(this.emulator, count)
  }

  resize(size: Size): void {
    this.client.resize(size.cols, size.rows)
    this.emulator.terminal.resize(size.cols, size.rows)
  }

  /** Differences from the other emulator, or at least some of them. */
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

/** The last lines of a terminal of this size after exactly this output. */
export const linesAfter = async (output: string, count: number, size: Size): Promise<string[]> => {
  const emulator = createEmulator(size)
  await written(emulator, output)
  return linesOf(emulator, count)
}

const linesOf = ({ terminal: { buffer, cols } }: Emulator, count: number): string[] =>
  Array.from({ length: Math.min(count, buffer.active.length) }, (_, index) => {
    const line = buffer.active.getLine(buffer.active.length - count + index)
    const cells = Array.from({ length: cols }, (_cell, x) => {
      const cell = line?.getCell(x)
      const looks = `{${cell?.getFgColorMode()}:${cell?.getFgColor()}:${cell?.isBold()}}`
      return `${cell?.getChars() || ' '}${cell?.isAttributeDefault() ? '' : looks}`
    })
    return `${line?.isWrapped ? '>' : ' '}${cells.join('')}`
  })
