/** A program on pipes as a test uses it. */
import { randomUUID } from 'node:crypto'
import type {
  ContainerRuntime,
  OutputName,
  PipesOptions,
  Program,
  ProgramExit,
  ProgramOptions,
} from '../../src/runtime/port.ts'

const HOME = '/home/developer'

interface Where {
  readonly runtime: ContainerRuntime
  readonly containerId: string
}

export type PipedOptions = Partial<Omit<ProgramOptions, 'io'> & PipesOptions>

/** What it keeps, and what becomes of the rest, is what most tests do not care about. */
export const pipedSpec = (argv: readonly string[], options: PipedOptions = {}): ProgramOptions => {
  const { input = 'none', keptOutputBytes = 1_048_576, whenFull = 'block', ...rest } = options
  const io = { kind: 'pipes', input, keptOutputBytes, whenFull } as const
  return { session: randomUUID(), argv, env: {}, cwd: HOME, keepSeconds: 0, ...rest, io }
}

export const startPiped = (
  { runtime, containerId }: Where,
  argv: readonly string[],
  options: PipedOptions = {},
): Promise<Program> => runtime.start(containerId, pipedSpec(argv, options))

/** Collects what a program prints, and acknowledges it as a backend that has stored it. */
export class Printed {
  readonly #pieces: Record<OutputName, Uint8Array[]> = { stdout: [], stderr: [] }
  /** The offset of the first byte that came of each output. */
  readonly first: Partial<Record<OutputName, number>> = {}
  readonly #program: Program

  constructor(program: Program, { acknowledges = true } = {}) {
    this.#program = program
    program.onOutput((chunk, from, offset) => {
      this.first[from] ??= offset
      this.#pieces[from].push(Uint8Array.from(chunk))
      if (acknowledges) program.acknowledge(offset + chunk.length, from)
    })
  }

  bytes(from: OutputName = 'stdout'): Buffer {
    return Buffer.concat(this.#pieces[from])
  }

  text(from: OutputName = 'stdout'): string {
    return this.bytes(from).toString()
  }

  /** Its exit, after which nothing of it is left. */
  async finished(): Promise<ProgramExit> {
    const exit = await this.#program.exit
    await this.#program.hangUp()
    return exit
  }
}
