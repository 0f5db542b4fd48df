/**
 * A program on a terminal. The test decides its output and its end, to produce cases that are rare with a real program.
 */
import type { OutputListener, OutputName, Program, ProgramExit } from '../../../src/runtime/program.ts'

export class ScriptedPty implements Program {
  readonly leader = '7:1'
  survives = true
  readonly exit: Promise<ProgramExit>
  readonly written: string[] = []
  paused = false
  hangUps = 0
  releases = 0
  readonly acknowledged = { stdout: 0, stderr: 0 }
  keptFor: number | null = null
  /** The result of `write`. */
  takesMore = true
  printBytes: (bytes: Uint8Array) => void = () => undefined
  drain: () => void = () => undefined
  end: (exit: ProgramExit) => void = () => undefined

  constructor() {
    this.exit = new Promise((resolve) => {
      this.end = resolve
    })
  }

  onOutput(listener: OutputListener): void {
    let offset = 0
    this.printBytes = (bytes) => {
      offset += bytes.length
      listener(bytes, 'stdout', offset - bytes.length)
    }
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
    // These tests do not need it. Other tests try it with a real terminal.
  }

  acknowledge(of: OutputName, offset: number): void {
    this.acknowledged[of] = offset
  }

  endInput(): void {
    // These tests do not need it.
  }

  signal(): Promise<void> {
    return Promise.resolve()
  }

  keep(seconds: number): void {
    this.keptFor = seconds
  }

  release(): void {
    this.releases += 1
  }

  hangUp(): Promise<void> {
    this.hangUps += 1
    return Promise.resolve()
  }
}
