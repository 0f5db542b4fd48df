/** A pty whose output and end a test decides, to bring about what a real one does only now and then. */
import type { Program, ProgramExit } from '../../../src/runtime/port.ts'

export class ScriptedPty implements Program {
  readonly leader = '7:1'
  survives = true
  readonly exit: Promise<ProgramExit>
  readonly written: string[] = []
  paused = false
  hangUps = 0
  releases = 0
  acknowledged = 0
  keptFor: number | null = null
  /** What `write` answers. */
  takesMore = true
  listener: Parameters<Program['onOutput']>[0] = () => undefined
  #offset = 0
  drain: () => void = () => undefined
  end: (exit: ProgramExit) => void = () => undefined

  constructor() {
    this.exit = new Promise((resolve) => {
      this.end = resolve
    })
  }

  onOutput(listener: Parameters<Program['onOutput']>[0]): void {
    this.listener = listener
  }

  printBytes(bytes: Uint8Array): void {
    this.#offset += bytes.length
    this.listener(bytes, 'stdout', this.#offset - bytes.length)
  }

  print(text: string): void {
    this.printBytes(Buffer.from(text))
  }

  onDrain(listener: () => void): void {
    this.drain = listener
  }

  write(data: Uint8Array): boolean {
    this.written.push(Buffer.from(data).toString())
    return this.takesMore
  }

  pause(): void {
    this.paused = true
  }

  resume(): void {
    this.paused = false
  }

  resize(): void {
    // Nothing depends on it here; the real one is tested with a real terminal.
  }

  acknowledge(offset: number): void {
    this.acknowledged = offset
  }

  keep(seconds: number): void {
    this.keptFor = seconds
  }

  release(): void {
    this.releases += 1
  }

  endInput(): void {
    // Of a terminal that is a key.
  }

  signal(): void {
    // It has no processes.
  }

  collect(): void {
    // Nothing keeps its exit.
  }

  hangUp(): Promise<void> {
    this.hangUps += 1
    return Promise.resolve()
  }
}
