/** The skills that the repository of a task's folder brings. They are looked for only if the agent's settings say so. */
import { AGENT_HOME } from '@slipway/protocol'
import type { Log } from '../../../lib/log.ts'
import { asAppError } from '../../../runtime/app-error.ts'
import type { ContainerRuntime } from '../../../runtime/port.ts'
import { requireFolder } from '../../sessions/start/folder.ts'
import type { OwnedSkill } from '../skill.ts'
import { reading, readSkillsIn } from './read.ts'

interface Parts {
  readonly runtime: Pick<ContainerRuntime, 'run'>
  readonly log: Log
}

export class RepositorySkills {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Throws `VALIDATION` for a folder in which no task starts. */
  async check(containerId: string, folder: string): Promise<void> {
    // The home is always there.
    if (folder === AGENT_HOME) return
    try {
      await requireFolder(this.#parts.runtime, containerId, folder)
    } catch (error) {
      throw asAppError(error)
    }
  }

  /** Those that are valid, of each name the first. None if the folder is in no repository, or cannot be read. */
  async of(containerId: string, folder: string): Promise<OwnedSkill[]> {
    const { runtime, log } = this.#parts
    const read = await readSkillsIn(runtime, containerId, reading('repository', folder)).catch((error: unknown) => {
      log.warn({ err: error }, 'the skills of a repository could not be read')
      return null
    })
    if (read === null || !('skills' in read)) return []
    return read.skills.flatMap(({ skill, files }) =>
      skill === null ? [] : [{ of: 'repository', enabled: true, skill, files }],
    )
  }
}
