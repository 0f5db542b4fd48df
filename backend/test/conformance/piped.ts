/** A program on pipes, as the tests use it. */
import { randomUUID } from 'node:crypto'
import type { ContainerRuntime } from '../../src/runtime/port.ts'
import {
  type Attached,
  LOG_BYTES_MIN,
  type OutputName,
  type PipesIo,
  type Program,
  type ProgramSpec,
} from '../../src/runtime/program.ts'
import { until } from '@slipway/testing'

export const HOME = '/home/developer'

export type PipedOptions = Partial<
  Pick<ProgramSpec, 'env' | 'folder' | 'keepSeconds' | 'logBytes' | 'whenFull'> & Pick<PipesIo, 'stdin'>
> & {
  /** False: the test acknowledges the output itself. */
  readonly acknowledges?: boolean
}

/** Collects what a program prints, and acknowledges it. */
export class Piped {
  readonly program: Program
  readonly session: string
  readonly #pieces: Record<OutputName, { readonly at: number; readonly bytes: Buffer }[]> = { stdout: [], stderr: [] }

  constructor(program: Program, session: string, acknowledges = true) {
    this.program = program
    this.session = session
    program.onOutput((chunk, from, offset) => {
      this.#pieces[from].push({ at: offset, bytes: Buffer.from(chunk) })
      if (acknowledges) program.acknowledge(from, offset + chunk.length)
    })
  }

  bytes(of: OutputName): Buffer {
    return Buffer.concat(this.#pieces[of].map(({ bytes }) => bytes))
  }

  text(of: OutputName): string {
    return this.bytes(of).toString()
  }

  /** Offsets at which a piece did not continue the piece before. */
  gaps(of: OutputName): number[] {
    const pieces = this.#pieces[of]
    return pieces.slice(1).flatMap(({ at }, index) => {
      const before = pieces[index]!
      return before.at + before.bytes.length === at ? [] : [at]
    })
  }

  async says(text: string): Promise<void> {
    await until(`${text} from the program`, () => this.text('stdout').includes(text))
  }
}

interface Where {
  readonly runtime: ContainerRuntime
  readonly containerId: string
}

/** Starts a program. By default it keeps as little output as possible, and waits if that is full. */
export const startPiped = async (
  { runtime, containerId }: Where,
  argv: readonly string[],
  options: PipedOptions = {},
): Promise<Piped> => {
  const { acknowledges, stdin = 'none', ...rest } = options
  const session = randomUUID()
  const program = await runtime.start(containerId, {
    ...{ session, argv, env: {}, folder: HOME, keepSeconds: 0, logBytes: LOG_BYTES_MIN, whenFull: 'block' },
    ...rest,
    io: { kind: 'pipes', stdin },
  })
  return new Piped(program, session, acknowledges)
}

/** Attaches to the same program, as the next backend does. */
export const attachPiped = async (
  { runtime, containerId }: Where,
  session: string,
  from: { readonly stdout: number; readonly stderr: number },
): Promise<Piped & { readonly attached: Attached }> => {
  const attached = (await runtime.attach(containerId, session, from))!
  return Object.assign(new Piped(attached.program, session), { attached })
}
