/** A program on a terminal, as the tests use it: they type, and wait for output. */
import { randomUUID } from 'node:crypto'
import { until } from '@slipway/testing'
import type { ContainerProcess, ContainerRuntime } from '../../src/runtime/port.ts'
import { type Program, type ProgramSpec, TERMINAL_LOG_BYTES, type TerminalIo } from '../../src/runtime/program.ts'

export class Terminal {
  /** The session's id, which is in the environment of all its processes. */
  readonly session: string
  readonly pty: Program
  readonly #chunks: Uint8Array[] = []

  constructor(pty: Program, session: string) {
    this.pty = pty
    this.session = session
    pty.onOutput((chunk, from, offset) => {
      this.#chunks.push(chunk)
      // Acknowledges the output, as a viewer does that has shown it.
      pty.acknowledge(from, offset + chunk.length)
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

type Options = Partial<Pick<ProgramSpec, 'env' | 'folder' | 'keepSeconds'> & Omit<TerminalIo, 'kind'>>

/** The specification of a program on a terminal, like that of a user's. */
export const terminalSpec = (session: string, argv: readonly string[], options: Options = {}): ProgramSpec => {
  const { env = {}, folder = '/', keepSeconds = 0, cols = 80, rows = 24, notice = null } = options
  return {
    ...{ session, argv, folder, keepSeconds, env: { TERM: 'xterm', ...env } },
    io: { kind: 'terminal', cols, rows, notice },
    logBytes: TERMINAL_LOG_BYTES,
    whenFull: 'drop',
  }
}

export const openTerminal = async (
  { runtime, containerId }: Where,
  argv: readonly string[],
  options: Options = {},
): Promise<Terminal> => {
  const session = randomUUID()
  return new Terminal(await runtime.start(containerId, terminalSpec(session, argv, options)), session)
}

/** The processes of the terminal's session, without a launcher above its program. */
export const processesOf = async ({ runtime, containerId }: Where, terminal: Terminal): Promise<ContainerProcess[]> =>
  (await runtime.processes(containerId)).filter(
    (process) => process.terminalSession === terminal.session && !isLauncher(process),
  )

const isLauncher = ({ ppid, command }: ContainerProcess): boolean => ppid === 0 && command.startsWith('/bin/sh -c # ')
