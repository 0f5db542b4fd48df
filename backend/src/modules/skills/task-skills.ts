/** The skills of tasks: chosen for the prompt, and given to the CLI while the task runs. */
import type { Log } from '../../lib/log.ts'
import type { ContainerRuntime } from '../../runtime/port.ts'
import type { Headless, HeadlessOptions } from '../providers/headless/headless.ts'
import { PROMPT_ARGUMENT_BYTES } from '../providers/provider.ts'
import type { Chosen } from './choice.ts'
import { placeSkills, removeSkills } from './place/place.ts'
import { promptWith } from './rendered.ts'
import type { SkillService } from './service.ts'

export interface TaskSkillsDeps {
  readonly skills: Pick<SkillService, 'choose'>
  readonly runtime: Pick<ContainerRuntime, 'run'>
  readonly log: Log
}

/** A task that starts, or goes on in another process. */
export interface SkilledTask {
  readonly id: string
  readonly containerId: string
  readonly agentId: string
  readonly userId: string
  /** What its user wrote. A process that continues it has another prompt in its options. */
  readonly prompt: string
  readonly options: HeadlessOptions
  readonly headless: Pick<Headless, 'takesSkills' | 'refusal'>
  /** Whether its prompt is an argument of a CLI on a terminal. */
  readonly isPlain: boolean
  /** Its variables, by which a user may have said where the CLI's own skills are. */
  readonly variables: Readonly<Record<string, string>>
}

/** What a CLI gets. */
export interface GivenSkills {
  readonly options: HeadlessOptions
  /** Variables in addition. They name the folder, so that no later task removes it. */
  readonly env: Readonly<Record<string, string>>
  /** A sentence about them for the task's events; null if there are none. */
  readonly notice: string | null
}

export class TaskSkills {
  readonly #deps: TaskSkillsDeps
  /** By the task's id: the containers with a folder of it. As many as there are active tasks. */
  readonly #placed = new Map<string, string>()

  constructor(deps: TaskSkillsDeps) {
    this.#deps = deps
  }

  /** Gives a task its skills. A task does not fail because of them: then it starts without. */
  async give(task: SkilledTask): Promise<GivenSkills> {
    const { options, prompt, containerId, agentId, userId } = task
    const plain = withoutSkills(options)
    try {
      const prompted = { userId, agentId, prompt, cwd: options.folder, containerId }
      const chosen = (await this.#deps.skills.choose(prompted)).chosen.filter(({ refused }) => refused === null)
      return chosen.length === 0 ? plain : await this.#give(task, chosen)
    } catch (error) {
      this.#deps.log.error({ sessionId: task.id, err: error }, 'a task has no skills')
      return plain
    }
  }

  /** Removes what the task got. Never rejects. */
  async ended(taskId: string): Promise<void> {
    const containerId = this.#placed.get(taskId)
    if (containerId === undefined) return
    this.#placed.delete(taskId)
    await removeSkills(this.#deps, containerId, taskId)
  }

  async #give(task: SkilledTask, chosen: Chosen[]): Promise<GivenSkills> {
    const { id, containerId, prompt, options, headless, variables, isPlain } = task
    const skills = chosen.map(({ owned }) => owned)
    const takes = !isPlain && (headless.takesSkills?.(variables) ?? false)
    const needsFolder = takes || skills.some(({ files }) => files.length > 0)
    const folder = needsFolder ? await placeSkills(this.#deps, containerId, id, skills) : null
    if (folder !== null) this.#placed.set(id, containerId)
    const env: GivenSkills['env'] = folder === null ? {} : { SLIPWAY_SKILLS: folder }
    const notice = noticeOf(chosen)
    if (takes && folder !== null) return { options: { ...options, skillsFolder: folder }, env, notice }
    // The conversation has them already.
    if (options.prompt !== prompt) return { options, env, notice: null }
    const longer = { ...options, prompt: promptWith(options.prompt, skills, folder) }
    const isTooLong = isPlain && Buffer.byteLength(longer.prompt) > PROMPT_ARGUMENT_BYTES
    const refusal = isTooLong ? 'the prompt would be too long' : (headless.refusal?.(longer) ?? null)
    return refusal === null
      ? { options: longer, env, notice }
      : { options, env, notice: `The skills for this prompt were left out: ${refusal}` }
  }
}

/** What a task starts with that has none. */
export const withoutSkills = (options: HeadlessOptions): GivenSkills => ({ options, env: {}, notice: null })

const noticeOf = (chosen: readonly Chosen[]): string => {
  const names = chosen.map(({ owned: { of, skill }, trigger }) =>
    trigger === null ? `${skill.name} (${of})` : `${skill.name} (${of}, for “${trigger}”)`,
  )
  return `Skills for this prompt: ${names.join(', ')}.`
}
