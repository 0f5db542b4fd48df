/** What somebody sees who follows a session in protocol 2: an emulator that is given everything in order, screens included. */
import type { SnapshotFrame } from '@slipway/protocol'
import { type ClientOptions, TerminalClient } from '@slipway/testing'
import type { Terminal } from '@xterm/headless'
import { createEmulator } from '@slipway/emulator/headless'

export const SIZE = { cols: 100, rows: 30 }

export class Follower {
  readonly client: TerminalClient
  readonly #emulator: Terminal = createEmulator(SIZE).terminal
  #acknowledges: boolean

  private constructor(options: ClientOptions, acknowledges: boolean) {
    this.client = new TerminalClient(options)
    this.#acknowledges = acknowledges
    this.client.onOutput((bytes) => {
      const upTo = this.client.offset
      this.#emulator.write(bytes, () => {
        if (this.#acknowledges) this.client.acknowledge(upTo)
      })
    })
  }

  /** With `acknowledges` false nothing that it sees is acknowledged before {@link acknowledge} is called. */
  static async open(options: ClientOptions, first: object, acknowledges = true): Promise<Follower> {
    const follower = new Follower(options, acknowledges)
    await follower.client.enter({ type: 'auth', v: 2, ...SIZE, ...first })
    return follower
  }

  /** Screens that were sent because something was left out. */
  get snapshots(): readonly SnapshotFrame[] {
    return this.client.of('snapshot')
  }

  /** Says that everything was parsed that has come, and from now on what comes. */
  acknowledge(): void {
    this.#acknowledges = true
    this.client.acknowledge()
  }

  /** The last `count` lines, each letter with its looks, as soon as everything has been parsed that has come. */
  async lines(count: number): Promise<string[]> {
    await new Promise<void>((resolve) => this.#emulator.write('', resolve))
    return linesOf(this.#emulator, count)
  }
}

/** What a terminal shows that was given exactly this. */
export const linesAfter = async (output: string, count: number): Promise<string[]> => {
  const { terminal } = createEmulator(SIZE)
  await new Promise<void>((resolve) => terminal.write(output, resolve))
  return linesOf(terminal, count)
}

const linesOf = ({ buffer: { active }, cols }: Terminal, count: number): string[] =>
  Array.from({ length: Math.min(count, active.length) }, (_, index) => {
    const line = active.getLine(active.length - count + index)
    const cells = Array.from({ length: cols }, (_cell, x) => {
      const cell = line?.getCell(x)
      return `${cell?.getChars() || ' '}${cell?.isAttributeDefault() ? '' : `{${cell?.getFgColorMode()}:${cell?.getFgColor()}:${cell?.isBold()}}`}`
    })
    return `${line?.isWrapped ? '>' : ' '}${cells.join('')}`
  })
