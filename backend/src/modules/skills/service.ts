/** Sets, lists, switches and removes skills, and chooses those of a prompt. */
import type {
  CheckSkill,
  SetSkill,
  Skill,
  SkillCheck,
  SkillPreview,
  SkillSettings,
  SkillSource,
  WholeSkill,
} from '@slipway/protocol'
import type { Clock } from '../../lib/time/clock.ts'
import { AppError, notFound } from '../../lib/errors.ts'
import type { NewId } from '../../lib/ids.ts'
import { changesOf } from '../audit/audited.ts'
import { type CredentialOwner, type Holder, ownerKey, PLATFORM, targetOf } from '../credentials/owner.ts'
import { actorOf, type Caller } from '../identity/caller.ts'
import { type Chosen, chosenSkills, presentChoice } from './choice.ts'
import type { RepositorySkills } from './read/repository-skills.ts'
import { charactersOf } from './rendered.ts'
import type { SkillRepository, StoredSkill } from './repository.ts'
import { type OwnedSkill, readSkill } from './skill.ts'
import { readSkillText, type SkillText } from './skill-text.ts'

interface Parts {
  readonly repository: SkillRepository
  readonly brought: Pick<RepositorySkills, 'of' | 'check'>
  readonly clock: Clock
  readonly newId: NewId
}

/** A prompt of a user in an agent. */
export interface Prompted {
  readonly userId: string
  readonly agentId: string
  readonly prompt: string
  readonly cwd: string
  /** Null: the agent does not run, so nothing is known of a repository. */
  readonly containerId: string | null
}

export class SkillService {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Sorted by name, without their texts. */
  async list(owner: CredentialOwner): Promise<Skill[]> {
    return (await this.#parts.repository.of(owner)).flatMap((row) => present(row, owner.type) ?? [])
  }

  /** Throws `NOT_FOUND`. */
  async get(owner: CredentialOwner, name: string): Promise<WholeSkill> {
    const row = await this.#parts.repository.find(owner, name)
    const skill = row && present(row, owner.type)
    if (!row || !skill) throw notFound()
    return { skill, text: row.text, files: [...row.files] }
  }

  /** What is wrong with a skill, with a problem for each field. */
  check({ text, files = [] }: CheckSkill): SkillCheck {
    const { skill, problems } = readSkill(text, files)
    if (!skill) return { problems: [...problems], skill: null }
    return { problems: [], skill: factsOf({ of: 'platform', enabled: true, skill, files }) }
  }

  /** Throws `VALIDATION` with all problems, `NOT_FOUND`, `NAME_TAKEN`, `TOO_MANY_SKILLS`, `AUDIT_REFUSED`. */
  async set(caller: Caller, holder: Holder, name: string, body: SetSkill): Promise<Skill> {
    const { repository, clock, newId } = this.#parts
    const { text, files = [], enabled = true, replace = false } = body
    const { skill, problems } = readSkill(text, files)
    if (!skill) throw invalid(problems.map(({ field, message }) => `${field}: ${message}`).join('; '))
    if (skill.name !== name) throw invalid(`name: must be ${name}, as in the address`)
    const stored = await repository.set(
      holder.owner,
      { id: newId(), name, enabled, text, files, setAt: new Date(clock.now()), setById: caller.userId },
      replace,
      (before, after) => ({
        ...entryOf(caller, holder, { skill: name, changes: changesOf('Skill', before, after) }),
        action: 'skill.set',
      }),
    )
    return presented(stored, holder)
  }

  /** Throws `NOT_FOUND`, `AUDIT_REFUSED`. */
  async switch(caller: Caller, holder: Holder, name: string, enabled: boolean): Promise<Skill> {
    const stored = await this.#parts.repository.switch(holder.owner, name, enabled, (before, after) => ({
      ...entryOf(caller, holder, { skill: name, changes: changesOf('Skill', before, after) }),
      action: 'skill.switched',
    }))
    return presented(stored, holder)
  }

  /** Throws `NOT_FOUND`, `AUDIT_REFUSED`. */
  async remove(caller: Caller, holder: Holder, name: string): Promise<void> {
    const entry = { ...entryOf(caller, holder, { skill: name }), action: 'skill.removed' } as const
    if (!(await this.#parts.repository.remove(holder.owner, name, entry))) throw notFound()
  }

  settings(agentId: string): Promise<SkillSettings> {
    return this.#parts.repository.settings(agentId)
  }

  /** Throws `NOT_FOUND`, `AUDIT_REFUSED`. */
  async setSettings(caller: Caller, holder: Holder, agentId: string, settings: SkillSettings): Promise<SkillSettings> {
    const isSet = await this.#parts.repository.setSettings(agentId, settings, (before, after) => ({
      ...entryOf(caller, holder, { changes: changesOf('SkillSetting', before, after) }),
      action: 'skill.settings_set',
    }))
    if (!isSet) throw notFound()
    return settings
  }

  /** All skills that a prompt may get, those that it gets first. */
  async choose(prompted: Prompted): Promise<{ readonly chosen: Chosen[]; readonly budget: number }> {
    const { repository, brought } = this.#parts
    const { userId, agentId, prompt, cwd, containerId } = prompted
    const agent = { type: 'agent', id: agentId } as const
    const [rows, settings] = await Promise.all([
      repository.of(agent, { type: 'user', id: userId }, PLATFORM),
      repository.settings(agentId),
    ])
    const own = rows.flatMap((row) => ownedIn(row, sourceOf(row.owner)) ?? [])
    const found = settings.repository && containerId !== null ? await brought.of(containerId, cwd) : []
    const budget = settings.maxPromptTokens
    return { chosen: chosenSkills([...own, ...found], prompt, budget), budget }
  }

  /** Throws `VALIDATION` for a folder in which no task starts. */
  async preview(prompted: Prompted): Promise<SkillPreview> {
    const { containerId, cwd } = prompted
    if (containerId !== null) await this.#parts.brought.check(containerId, cwd)
    const { chosen, budget } = await this.choose(prompted)
    const given = chosen.filter(({ refused }) => refused === null)
    return {
      maxPromptTokens: budget,
      characters: given.reduce((sum, { characters }) => sum + characters, 0),
      skills: chosen.map(presentChoice),
    }
  }
}

const invalid = (message: string): AppError => new AppError('VALIDATION', `body.text: ${message}`)

const entryOf = (caller: Caller, holder: Holder, detail: object) => ({
  actor: actorOf(caller),
  target: targetOf(holder),
  detail: { of: holder.owner.type, ...detail },
})

const sourceOf = (owner: string): SkillSource =>
  owner === ownerKey(PLATFORM) ? 'platform' : owner.startsWith('agent:') ? 'agent' : 'user'

/** Null for a skill that this version does not read any more. */
const ownedIn = ({ text, files, enabled }: StoredSkill, of: SkillSource): OwnedSkill | null => {
  const { skill } = readSkillText(text)
  return skill && { of, enabled, skill, files }
}

const factsOf = (owned: OwnedSkill) => {
  const { name, description, triggers, priority }: SkillText = owned.skill
  return { name, description, triggers: [...triggers], priority, characters: charactersOf(owned) }
}

const present = (row: StoredSkill, of: SkillSource): Skill | null => {
  const owned = ownedIn(row, of)
  const { enabled, files, setAt, setBy } = row
  const paths = files.map(({ path }) => path)
  return owned && { ...factsOf(owned), enabled, files: paths, setAt: setAt.toISOString(), setBy }
}

/** Throws if there is none, or if its owner is gone. */
const presented = (row: StoredSkill | null, { owner }: Holder): Skill => {
  const skill = row && present(row, owner.type)
  if (!skill) throw notFound()
  return skill
}
