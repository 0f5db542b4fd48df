/** What was said in a terminal that continued a conversation, out of the CLI's own file. */
import { readFileSync } from 'node:fs'
import { AGENT_HOME, CLI_SESSION_PATTERN } from '@slipway/protocol'
import { SECOND_MS } from '../../../../lib/time/clock.ts'
import type { ContainerRuntime } from '../../../../runtime/port.ts'
import type { AgentRepository } from '../../../agents/repository.ts'
import type { AgentService } from '../../../agents/service.ts'
import type { Provisioner } from '../../../credentials/provision/provision.ts'
import { Masking } from '../../output/masking.ts'
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
  readonly provisioner: Pick<Provisioner, 'taskSecrets'>
}

/** A session of a CLI, and the time in which a terminal had it. */
export interface InTerminal {
  readonly agentId: string
  /** The user of the terminal. */
  readonly userId: string
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

  /**
   * What was said, without the secrets that a task of this user in this agent is masked with. Null if the agent does not
   * run, so that it can be asked later. Throws what the engine throws.
   */
  async of({ agentId, userId, provider, cliSessionId, from, to }: InTerminal): Promise<readonly Said[] | null> {
    const { agentRows, agents, runtime, provisioner } = this.#deps
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
    const masking = new Masking(await provisioner.taskSecrets(userId, row))
    // Line by line, like the output of a task: within an entry, a text may spell a secret with escapes.
    const lines = stdout.toString('utf8').split('\n')
    const masked = lines.map((line) => masking.mask(line)).join('\n')
    return saidIn(masked, read, from.getTime(), to.getTime())
  }
}

/** OpenCode keeps its sessions in an SQLite database, which needs a program to be read. */
const argvOf = (provider: string, session: string): readonly [string, ...string[]] =>
  provider === 'opencode'
    ? ['python3', '-c', OPENCODE, AGENT_HOME, session, String(FILE_BYTES)]
    : ['/bin/sh', '-c', SCRIPT, 'slipway-said', AGENT_HOME, session, String(FILE_BYTES), provider]
