/** The skills that the repository of a task's folder brings. They are looked for only if the agent's settings say so. */
import type { Log } from '../../../lib/log.ts'
import type { ContainerRuntime } from '../../../runtime/port.ts'
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
