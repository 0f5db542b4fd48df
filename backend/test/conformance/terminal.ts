/** A pty as a test uses it: types, and waits for what it shows. */
import { randomUUID } from 'node:crypto'
import { until } from '@slipway/testing'
import type {
  ContainerProcess,
  ContainerRuntime,
  Program,
  ProgramOptions,
  TerminalOptions,
} from '../../src/runtime/port.ts'

export class Terminal {
  /** The mark that every process started in it carries. */
  readonly session: string
  readonly pty: Program
  readonly #chunks: Uint8Array[] = []

  constructor(pty: Program, session: string, from = 0) {
    this.pty = pty
    this.session = session
    let offset = from
    pty.onOutput((chunk) => {
      this.#chunks.push(chunk)
      offset += chunk.length
      // As one would who has seen it.
      pty.acknowledge(offset)
    })
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks)
  }

  get text(): string {
    return this.bytes.toString('utf8')
  }

  type(text: string): void {
    this.pty.write(Buffer.from(text))
  }

  async waitFor(shown: string | RegExp): Promise<void> {
    const isShown = (): boolean => (typeof shown === 'string' ? this.text.includes(shown) : shown.test(this.text))
    await until(`${String(shown)} on the terminal`, isShown).catch((error: unknown) => {
      throw new Error(`it shows ${JSON.stringify(this.text.slice(-500))}`, { cause: error })
    })
  }
}

interface Where {
  readonly runtime: ContainerRuntime
  readonly containerId: string
}

export const openTerminal = async (
  { runtime, containerId }: Where,
  argv: readonly string[],
  options: Partial<Omit<ProgramOptions, 'io'> & TerminalOptions> = {},
): Promise<Terminal> => {
  const session = randomUUID()
  const env = { TERM: 'xterm', ...options.env }
  const { cwd = '/', keepSeconds = 0, cols = 80, rows = 24, notice = null } = options
  const io = { kind: 'terminal', cols, rows, notice } as const
  const pty = await runtime.start(containerId, { session, argv, env, cwd, keepSeconds, io })
  return new Terminal(pty, session)
}

/** The processes that carry the terminal's mark, but for a launcher above its program. */
export const processesOf = async ({ runtime, containerId }: Where, terminal: Terminal): Promise<ContainerProcess[]> =>
  (await runtime.processes(containerId)).filter(
    (process) => process.terminalSession === terminal.session && !isLauncher(process),
  )

const isLauncher = ({ ppid, command }: ContainerProcess): boolean => ppid === 0 && command.startsWith('/bin/sh -c # ')
