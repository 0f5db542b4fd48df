/**
 * An engine in memory: its containers run at once, and its terminals print nothing. It serves tests about people, in
 * which a container only has to exist. Tests about containers use the real engine.
 */
import { randomUUID } from 'node:crypto'
import { Readable, Writable } from 'node:stream'
import type {
  ContainerInfo,
  ContainerRuntime,
  ContainerSpec,
  ProgramStream,
  RunResult,
} from '../../../src/runtime/port.ts'
import type { Program, ProgramSpec } from '../../../src/runtime/program.ts'
import { RuntimeError } from '../../../src/runtime/errors.ts'
import { noEngine } from './no-engine.ts'
import { ScriptedPty } from '../scripted/pty.ts'

/** A process that an earlier terminal left in every container. */
export const LEFT_PID = 77
/** The one shell command that does not end by itself. */
export const ENDLESS = 'sleep infinity'

/** Reads a file of one byte, writes any file, lists an empty folder, or finds nothing. */
const transferred = (argv: readonly string[]): string => {
  const name = Buffer.from('/home/developer/notes').toString('hex')
  if (argv.includes('slipway-read')) return `file 1 1-1 ${name}\nx`
  if (argv.includes('slipway-tree')) return '/home/developer\x001-1\0'
  if (argv.includes('slipway-names')) return '/home/developer\0'
  return argv.includes('slipway-write') ? 'ready\n1-2\n' : 'ready\n'
}
const transfer = (argv: readonly string[]): ProgramStream => ({
  output: Readable.from([Buffer.from(transferred(argv))], { objectMode: false }),
  input: new Writable({ write: (_chunk, _encoding, done) => done() }),
  exit: Promise.resolve({ exitCode: 0, stderr: Buffer.alloc(0) }),
  close: () => undefined,
})

const TREE = 'a'.repeat(40)

/** A look at a repository, or a commit in it. */
const published = (argv: readonly string[]): string =>
  argv.includes('look')
    ? ['main', TREE, 'origin', 'https://github.com/harbour/api.git', 'main', '1', '', '2', ''].join('\0')
    : `${TREE}\n`

/** What the scripts print of a repository in which nothing has changed. */
const unchanged = (argv: readonly string[]): string => {
  const nothing = `0\n0\n0\n0\n${TREE.length + 1}\n${TREE}\n`
  if (argv.includes('status')) return '\0'.repeat(9)
  if (argv.includes('diff')) return `${TREE}\n${nothing}`
  if (argv.includes('staged')) return '\0'
  if (argv.includes('last')) return `${TREE}\0\0Words\n`
  if (argv.includes('proposal'))
    return `${['topic', TREE, 'origin', 'https://github.com/harbour/api.git', 'main', '1', TREE].join('\0')}\0`
  return argv.includes('show') ? nothing : ''
}

/** What a validation finds in every folder: no package.json. */
const NO_PACKAGE = {
  ...{ root: '/home/developer', prefix: '', manifests: {}, truncated: false },
  ...{ files: [], programs: [], command: null },
}

/** What a program prints: the search finds no file, and every other program prints nothing. */
const said = (argv: readonly string[]): Buffer => {
  // The trees before and after.
  if (argv.includes('slipway-changes') && argv.includes('discard')) return Buffer.from(`${TREE}\n${TREE}\n`)
  if (argv.includes('slipway-git')) return Buffer.from(unchanged(argv))
  if (argv.includes('slipway-publish')) return Buffer.from(published(argv))
  // The id in the trash.
  if (argv.includes('slipway-change') && argv.includes('trash')) return Buffer.from(`${argv.at(-1)}\n`)
  if (argv.includes('slipway-versions')) return Buffer.from('1-1\n')
  if (argv[0] === 'timeout' && argv.includes('--input-type=module')) return Buffer.from(JSON.stringify(NO_PACKAGE))
  if (argv.includes('slipway-list')) return Buffer.from('/home/developer\0')
  return Buffer.from(argv.includes('slipway-find') ? 'none\x000\0\0' : '')
}

export class MemoryEngine {
  /** Programs on terminals, in the order of their start. */
  readonly ptys: ScriptedPty[] = []
  /** Ids of agents whose containers cannot be removed. */
  readonly stuck = new Set<string>()
  readonly #containers = new Map<string, ContainerInfo>()
  /** CPU time of each container: a tenth of the time that has passed. */
  #usedMs = 0

  /** Whether the agent has a container. */
  has(agentId: string): boolean {
    return this.#containers.has(agentId)
  }

  readonly runtime: ContainerRuntime = {
    ...noEngine,
    available: true,
    watch: (listener) => {
      listener({ type: 'connected' })
      return Promise.resolve()
    },
    list: () => Promise.resolve([...this.#containers.values()]),
    find: ({ agentId }) => Promise.resolve(this.#containers.get(agentId) ?? null),
    fingerprint: () => 'the same',
    launch: (spec) => Promise.resolve(this.#launch(spec)),
    stop: (id) => Promise.resolve(this.#stop(id)),
    remove: (id) => this.#remove(id),
    homes: () => Promise.resolve(new Set(this.#containers.keys())),
    removeHome: () => Promise.resolve(),
    run: (_id, { argv }) => Promise.resolve<RunResult>({ exitCode: 0, stdout: said(argv), stderr: Buffer.alloc(0) }),
    stream: (_id, argv) => Promise.resolve(transfer(argv)),
    start: (_id, spec) => Promise.resolve(this.#start(spec)),
    hangUp: () => Promise.resolve(),
    processes: () =>
      Promise.resolve([
        {
          pid: LEFT_PID,
          ppid: 1,
          session: LEFT_PID,
          startTicks: 1,
          cpuMs: 0,
          memoryBytes: 1,
          ignoresHangup: true,
          command: 'sleep 1000',
          terminalSession: null,
          startedAt: new Date(0),
        },
      ]),
    endProcess: () => Promise.resolve(true),
    logs: () => Promise.resolve([]),
    followLogs: silentUntilAborted,
    usage: () => {
      this.#usedMs += 100
      return Promise.resolve({
        at: this.#usedMs * 10,
        cpuMs: this.#usedMs,
        memoryBytes: 1,
        memoryLimitBytes: 1,
        networkRxBytes: 0,
        networkTxBytes: 0,
        diskReadBytes: 0,
        diskWriteBytes: 0,
        processes: 1,
      })
    },
  }

  #launch({ agentId }: ContainerSpec): ContainerInfo {
    const container: ContainerInfo = {
      id: this.#containers.get(agentId)?.id ?? randomUUID(),
      agentId,
      running: true,
      exitCode: null,
      oomKilled: false,
      fingerprint: 'the same',
      startedAt: new Date(),
    }
    this.#containers.set(agentId, container)
    return container
  }

  #stop(id: string): void {
    for (const [agentId, container] of this.#containers)
      if (container.id === id) this.#containers.set(agentId, { ...container, running: false, exitCode: 0 })
  }

  #remove(id: string): Promise<void> {
    for (const [agentId, container] of this.#containers) {
      if (container.id !== id) continue
      if (this.stuck.has(agentId)) return Promise.reject(new RuntimeError('engine_error', 'it cannot be removed'))
      this.#containers.delete(agentId)
    }
    return Promise.resolve()
  }

  /** A program on pipes ends at once, unless it is {@link ENDLESS}. */
  #start({ io, argv }: ProgramSpec): Program {
    const program = new ScriptedPty()
    if (io.kind === 'terminal') this.ptys.push(program)
    else if (argv.at(-1) !== ENDLESS) program.end({ exitCode: 0, cause: 'exited' })
    return program
  }
}

/** Nothing is ever written to these logs. */
// eslint-disable-next-line require-yield -- it says nothing, which is the point
async function* silentUntilAborted(_id: string, { signal }: { signal: AbortSignal }): AsyncGenerator<never> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
}
