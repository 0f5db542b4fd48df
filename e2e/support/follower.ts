/** What somebody sees who follows a session in protocol 2: an emulator that is given everything in order, screens included. */
import type { ServerFrame, SnapshotFrame } from '@slipway/protocol'
import type { Terminal } from '@xterm/headless'
import { createEmulator } from '@slipway/emulator/headless'
import { TerminalClient, type TerminalOptions } from './terminal.ts'

export const SIZE = { cols: 100, rows: 30 }

export class Follower {
  readonly client: TerminalClient
  readonly #emulator: Terminal = createEmulator(SIZE).terminal
  #acknowledges: boolean
  /** Offset of what comes next, and up to where the server was told that it has been parsed. */
  #offset = 0
  #told = 0
  #screenLeft = 0
  #snapshots: SnapshotFrame[] = []

  private constructor(options: TerminalOptions, acknowledges: boolean) {
    this.client = new TerminalClient(options)
    this.#acknowledges = acknowledges
    this.client.socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (isBinary) this.#take(data)
      else this.#hear(JSON.parse(data.toString()) as ServerFrame)
    })
  }

  /** With `acknowledges` false nothing that it sees is acknowledged before {@link acknowledge} is called. */
  static async open(options: TerminalOptions, first: object, acknowledges = true): Promise<Follower> {
    const follower = new Follower(options, acknowledges)
    await follower.client.refused
    follower.client.send({ type: 'auth', v: 2, ...SIZE, ...first })
    await follower.client.until('auth_success', () => follower.client.frames[0]?.type === 'auth_success')
    return follower
  }

  /** Screens that were sent because something was left out. */
  get snapshots(): readonly SnapshotFrame[] {
    return this.#snapshots
  }

  /** Says that everything was parsed that has come, and from now on what comes. */
  acknowledge(): void {
    this.#acknowledges = true
    this.#say(this.#offset)
  }

  /** The last `count` lines, each letter with its looks, as soon as everything has been parsed that has come. */
  async lines(count: number): Promise<string[]> {
    await new Promise<void>((resolve) => this.#emulator.write('', resolve))
    return linesOf(this.#emulator, count)
  }

  #hear(frame: ServerFrame): void {
    if (frame.type === 'auth_success') this.#begin(frame.offset ?? 0)
    if (frame.type !== 'snapshot') return
    this.#snapshots.push(frame)
    this.#screenLeft = frame.bytes
    this.#begin(frame.offset)
  }

  #begin(offset: number): void {
    this.#offset = this.#told = offset
  }

  #take(data: Buffer): void {
    const screen = data.subarray(0, this.#screenLeft)
    this.#screenLeft -= screen.length
    this.#offset += data.length - screen.length
    const upTo = this.#offset
    this.#emulator.write(data, () => {
      // What was on its way when a screen came is below what counts from there.
      if (this.#acknowledges && upTo > this.#told) this.#say(upTo)
    })
  }

  #say(offset: number): void {
    this.#told = offset
    this.client.send({ type: 'ack', offset })
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
