/** Reads skills to import, from a folder of an agent's home or from a git repository that the agent clones. */
import { type FoundSkills, type ImportSkills } from '@slipway/protocol'
import { AppError } from '../../../lib/errors.ts'
import { asAppError } from '../../../runtime/app-error.ts'
import type { ContainerRuntime } from '../../../runtime/port.ts'
import { checkRef } from '../../agents/beginning/repository-url.ts'
import type { AgentService, Found } from '../../agents/service.ts'
import type { Audit } from '../../audit/audit.ts'
import { actorOf } from '../../identity/caller.ts'
import {
  cloning,
  inHome,
  NO_FOLDER,
  NOT_CLONED,
  OUTSIDE_HOME,
  reading,
  readSkillsIn,
  type FoundSkill,
  TOO_LARGE,
  TOO_SLOW,
  type Unread,
} from './read.ts'

interface Parts {
  readonly runtime: Pick<ContainerRuntime, 'run'>
  readonly agents: Pick<AgentService, 'snapshot'>
  readonly audit: Pick<Audit, 'recordNow'>
}

export class SkillImport {
  readonly #parts: Parts
  /** The agents in which one reads. */
  readonly #reading = new Set<string>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** What is there. Nothing is stored. Throws `VALIDATION`, `WRONG_STATE`, `FILE_NOT_FOUND`, `OUTSIDE_HOME`, `AUDIT_REFUSED`. */
  async read({ caller, row }: Found, { folder, git }: ImportSkills): Promise<FoundSkills> {
    const { runtime, agents, audit } = this.#parts
    if (git?.ref !== undefined) checkRef(git.ref, 'body.git.ref')
    const options = git ? cloning(git.url, git.ref) : folder === undefined ? null : reading('folder', inHome(folder))
    if (options === null || (git && folder !== undefined))
      throw new AppError('VALIDATION', 'body: needs a folder or a git repository, and not both')
    const { runningId } = agents.snapshot(row)
    if (runningId === null) throw new AppError('WRONG_STATE', 'The agent is not running. Start it first.')
    if (this.#reading.has(row.id))
      throw new AppError('WRONG_STATE', 'An import reads in this agent already. Wait for it.')
    this.#reading.add(row.id)
    try {
      const detail = { of: 'agent', ...(git ? { url: git.url } : { path: folder }) }
      const target = { id: row.id, name: row.name }
      await audit.recordNow({ actor: actorOf(caller), action: 'skill.imported', target, detail })
      const read = await readSkillsIn(runtime, runningId, options)
      if (!('skills' in read)) throw refusalOf(read, git ? 'git.url' : 'folder')
      return { skills: read.skills.map(present), more: read.more }
    } catch (error) {
      throw asAppError(error)
    } finally {
      this.#reading.delete(row.id)
    }
  }
}

const present = ({ path, text, files, skill, problems }: FoundSkill) => ({
  ...{ path, text, files: [...files], problems: [...problems] },
  name: skill?.name ?? null,
  description: skill?.description ?? null,
})

const refusalOf = ({ exitCode, said }: Unread, field: string): AppError => {
  const wrong = (message: string): AppError => new AppError('VALIDATION', `body.${field}: ${message}`)
  if (exitCode === NO_FOLDER) return new AppError('FILE_NOT_FOUND', 'There is no such folder in the agent.')
  if (exitCode === OUTSIDE_HOME) return new AppError('OUTSIDE_HOME', 'The folder is not in the home of the agent.')
  if (exitCode === NOT_CLONED) return wrong(`git could not clone it${said === '' ? '' : `: ${said}`}`)
  if (exitCode === TOO_LARGE) return wrong('the repository is too large. Import a folder of it')
  if (TOO_SLOW.includes(exitCode)) return wrong('reading it took too long')
  return wrong('it cannot be read')
}
