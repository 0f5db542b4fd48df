/** What was said in a terminal that continued a conversation, out of the CLI's own file. */
import { readFileSync } from 'node:fs'
import { AGENT_HOME, CLI_SESSION_PATTERN } from '@slipway/protocol'
import { SECOND_MS } from '../../../../lib/clock.ts'
import type { ContainerRuntime } from '../../../../runtime/port.ts'
import type { AgentRepository } from '../../../agents/repository.ts'
import type { AgentService } from '../../../agents/service.ts'
import { READERS, type Said, saidIn } from './said.ts'

const SCRIPT = readFileSync(new URL('said.sh', import.meta.url), 'utf8')
const OPENCODE = readFileSync(new URL('opencode.py', import.meta.url), 'utf8')
/** How much of the file's end is read, in bytes. */
const FILE_BYTES = 4_194_304
/** Longest time of the script, in milliseconds. */
const READ_MS = 15 * SECOND_MS
const CLI_SESSION = new RegExp(CLI_SESSION_PATTERN)

export interface TerminalWordsDeps {
  readonly agentRows: Pick<AgentRepository, 'byId'>
  readonly agents: Pick<AgentService, 'snapshot'>
  readonly runtime: Pick<ContainerRuntime, 'run'>
}

/** A session of a CLI, and the time in which a terminal had it. */
export interface InTerminal {
  readonly agentId: string
  readonly provider: string
  readonly cliSessionId: string
  readonly from: Date
  readonly to: Date
}

export class TerminalWords {
  readonly #deps: TerminalWordsDeps

  constructor(deps: TerminalWordsDeps) {
    this.#deps = deps
  }

  /** Null if the agent does not run, so that it can be asked later. Throws what the engine throws. */
  async of({ agentId, provider, cliSessionId, from, to }: InTerminal): Promise<readonly Said[] | null> {
    const { agentRows, agents, runtime } = this.#deps
    const read = READERS.get(provider)
    if (!read || !CLI_SESSION.test(cliSessionId)) return []
    const row = await agentRows.byId(agentId)
    const containerId = row && agents.snapshot(row).runningId
    if (!containerId) return null
    const { stdout } = await runtime.run(containerId, {
      argv: argvOf(provider, cliSessionId),
      timeoutMs: READ_MS,
      maxOutputBytes: FILE_BYTES,
    })
    return saidIn(stdout.toString('utf8'), read, from.getTime(), to.getTime())
  }
}

/** OpenCode keeps its sessions in an SQLite database, which needs a program to be read. */
const argvOf = (provider: string, session: string): readonly [string, ...string[]] =>
  provider === 'opencode'
    ? ['python3', '-c', OPENCODE, AGENT_HOME, session, String(FILE_BYTES)]
    : ['/bin/sh', '-c', SCRIPT, 'slipway-said', AGENT_HOME, session, String(FILE_BYTES), provider]
