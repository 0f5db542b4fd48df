/** Skills: instructions that reach a coding CLI with the prompts that they are for. */
import Type, { type Static } from 'typebox'
import { AgentRepository } from '../agents/preparation.ts'
import { Nullable, Timestamp } from '../common.ts'
import { RUN_FIELDS } from '../tasks/runs.ts'

/** Most skills of one owner. */
export const SKILLS_MAX = 50
/** Longest `SKILL.md`, in UTF-16 code units. */
export const SKILL_TEXT_MAX = 32_768
/** Most further files of one skill, and their size together, in bytes of UTF-8. They travel in the arguments of one program. */
export const SKILL_FILES_MAX = 20
export const SKILL_FILES_BYTES = 32_768
/** Most characters of a name, a description and a compatibility, as agentskills.io has them. */
export const SKILL_NAME_MAX = 64
export const SKILL_DESCRIPTION_MAX = 1024
export const SKILL_COMPATIBILITY_MAX = 500
/** Most triggers of a skill, and most characters of one. */
export const SKILL_TRIGGERS_MAX = 20
export const SKILL_TRIGGER_MAX = 64
/** The highest priority; its negative is the lowest. */
export const SKILL_PRIORITY_MAX = 1000
/** Most skills that one prompt gets. */
export const SKILLS_PER_PROMPT = 20
/** Characters of skills that one prompt gets by default, and at most: about 1,000 and 10,000 tokens. */
export const SKILL_BUDGET = 4000
export const SKILL_BUDGET_MAX = 40_000
/** Most skills that one import reads. */
export const SKILLS_IMPORTED_MAX = 20

/** Lower case, digits, and single hyphens between them. */
export const SKILL_NAME_PATTERN = '^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$'
export const SkillName = Type.String({ pattern: SKILL_NAME_PATTERN })

/** A file beside `SKILL.md`. One that begins with `#!` can be executed. */
export const SkillFile = Type.Object(
  {
    path: Type.String({ minLength: 1, maxLength: 200, description: 'Relative to the folder of the skill.' }),
    text: Type.String({ maxLength: SKILL_FILES_BYTES, pattern: '^[^\\u0000]*$' }),
  },
  { additionalProperties: false },
)
export type SkillFile = Static<typeof SkillFile>

const SkillText = Type.String({ minLength: 1, maxLength: SKILL_TEXT_MAX, description: 'The whole `SKILL.md`.' })
const files = Type.Array(SkillFile, { maxItems: SKILL_FILES_MAX })

/** A skill as a whole. */
export const SetSkill = Type.Object(
  {
    text: SkillText,
    files: Type.Optional(files),
    enabled: Type.Optional(Type.Boolean()),
    replace: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether it replaces a skill of this name. Otherwise another skill of this name stays as it is.',
      }),
    ),
  },
  { additionalProperties: false },
)
export type SetSkill = Static<typeof SetSkill>

export const SwitchSkill = Type.Object({ enabled: Type.Boolean() }, { additionalProperties: false })
export type SwitchSkill = Static<typeof SwitchSkill>

/** What decides which prompts get a skill. */
const facts = {
  name: Type.String(),
  description: Type.String(),
  triggers: Type.Array(Type.String()),
  priority: Type.Integer(),
  /** What it takes of the budget of a prompt. */
  characters: Type.Integer(),
}

/** A skill without its text. */
export const Skill = Type.Object({
  ...facts,
  enabled: Type.Boolean(),
  /** Paths of its further files. */
  files: Type.Array(Type.String()),
  setAt: Timestamp,
  /** E-mail address of the user who set it; null if the account is gone. */
  setBy: Nullable(Type.String()),
})
export type Skill = Static<typeof Skill>

export const WholeSkill = Type.Object({ skill: Skill, text: Type.String(), files: Type.Array(SkillFile) })
export type WholeSkill = Static<typeof WholeSkill>

/** What is wrong with a field of a skill. */
export const SkillProblem = Type.Object({
  /** A field of the front matter, `body`, `files`, or `SKILL.md` for the file as a whole. */
  field: Type.String(),
  message: Type.String(),
})
export type SkillProblem = Static<typeof SkillProblem>

export const CheckSkill = Type.Object(
  { text: Type.String({ maxLength: SKILL_TEXT_MAX }), files: Type.Optional(files) },
  { additionalProperties: false },
)
export type CheckSkill = Static<typeof CheckSkill>

/** What a `SKILL.md` says, as far as it can be read. */
export const SkillCheck = Type.Object({
  problems: Type.Array(SkillProblem),
  /** Null if there are problems. */
  skill: Nullable(Type.Object(facts)),
})
export type SkillCheck = Static<typeof SkillCheck>

/** Who has a skill. */
export const SKILL_SOURCES = ['platform', 'user', 'agent', 'repository'] as const
export type SkillSource = (typeof SKILL_SOURCES)[number]

export const PreviewSkills = Type.Object(
  {
    prompt: Type.String({ minLength: 1, maxLength: 1_048_576 }),
    /** The folder of the task, whose repository may bring skills. */
    cwd: RUN_FIELDS.cwd,
  },
  { additionalProperties: false },
)
export type PreviewSkills = Static<typeof PreviewSkills>

/** Why a prompt gets a skill: one of its triggers is in the prompt, or it has none and is for every prompt. */
export const SKILL_REASONS = ['trigger', 'always'] as const
/** Why a prompt does not get one. `replaced`: another owner has one of this name. */
export const SKILL_REFUSALS = ['no_trigger', 'over_budget', 'too_many', 'switched_off', 'replaced'] as const

/** A skill, and whether one prompt gets it. */
export const SkillChoice = Type.Object({
  of: Type.Enum(SKILL_SOURCES),
  ...facts,
  /** Null if the prompt gets it. */
  refused: Nullable(Type.Enum(SKILL_REFUSALS)),
  /** Null if its triggers were not looked for, or if none is in the prompt. */
  because: Nullable(Type.Enum(SKILL_REASONS)),
  /** The trigger that is in the prompt. */
  trigger: Nullable(Type.String()),
})
export type SkillChoice = Static<typeof SkillChoice>

export const SkillPreview = Type.Object({
  /** Characters of skills that a prompt gets at most. */
  maxPromptTokens: Type.Integer(),
  /** Characters of the skills that this prompt gets. */
  characters: Type.Integer(),
  skills: Type.Array(SkillChoice),
})
export type SkillPreview = Static<typeof SkillPreview>

/** How the tasks of an agent get skills. */
export const SkillSettings = Type.Object(
  {
    repository: Type.Boolean({
      description: 'Whether tasks also get skills of the repository in their folder. Off by default.',
    }),
    maxPromptTokens: Type.Integer({
      minimum: 0,
      maximum: SKILL_BUDGET_MAX,
      description: `Characters of skills that a prompt gets at most; ${SKILL_BUDGET} by default.`,
    }),
  },
  { additionalProperties: false },
)
export type SkillSettings = Static<typeof SkillSettings>

/** Where to look for skills: a folder of the agent's home, or a git repository that the agent clones. */
export const ImportSkills = Type.Object(
  {
    folder: Type.Optional(Type.String({ minLength: 1, maxLength: 4096 })),
    git: Type.Optional(
      Type.Object(
        {
          url: Type.String({ minLength: 1, maxLength: 2048, pattern: '^https?://[^\\s\\u0000-\\u001f@]+$' }),
          /** A branch or a tag. Without it, the default branch of the remote. */
          ref: AgentRepository.properties.ref,
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
)
export type ImportSkills = Static<typeof ImportSkills>

/** A skill that was found. Nothing is stored before it is set. */
export const FoundSkill = Type.Object({
  /** Its folder, relative to where the search began. */
  path: Type.String(),
  text: Type.String(),
  files: Type.Array(SkillFile),
  problems: Type.Array(SkillProblem),
  name: Nullable(Type.String()),
  description: Nullable(Type.String()),
})
export type FoundSkill = Static<typeof FoundSkill>

export const FoundSkills = Type.Object({
  skills: Type.Array(FoundSkill),
  /** Whether there are more than an import reads. */
  more: Type.Boolean(),
})
export type FoundSkills = Static<typeof FoundSkills>
