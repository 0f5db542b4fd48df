/** The forms in which a skill reaches a CLI: a folder where the CLI looks, or a part of the prompt. Pure. */
import { stringify } from 'yaml'
import type { OwnedSkill } from './skill.ts'
import type { SkillText } from './skill-text.ts'

/** A file to write, by its path. */
export interface PlacedFile {
  readonly path: string
  readonly mode: '0600' | '0700'
  readonly text: string
}

/** The name under which CLIs list the skills of a run. */
const PLUGIN = 'slipway'

/**
 * The front matter is written anew, with what tells a model about the skill. `allowed-tools` is left out: it would let a
 * skill do what the policy of its task asks about.
 */
const skillFile = ({ name, description, license, compatibility, body }: SkillText): string => {
  const fields = { name, description, ...(license && { license }), ...(compatibility && { compatibility }) }
  return `---\n${stringify(fields, { lineWidth: 0, defaultStringType: 'QUOTE_DOUBLE' })}---\n\n${body}\n`
}

const fileOf = (path: string, text: string): PlacedFile => ({
  path,
  mode: text.startsWith('#!') ? '0700' : '0600',
  text,
})

/** All files of a folder with these skills: a plugin of Claude Code, whose folder `skills` other CLIs take. */
export const folderOf = (skills: readonly Pick<OwnedSkill, 'skill' | 'files'>[]): PlacedFile[] => [
  { path: '.claude-plugin/plugin.json', mode: '0600', text: `${JSON.stringify({ name: PLUGIN, version: '1.0.0' })}\n` },
  ...skills.flatMap(({ skill, files }) => [
    { path: `skills/${skill.name}/SKILL.md`, mode: '0600' as const, text: skillFile(skill) },
    ...files.map(({ path, text }) => fileOf(`skills/${skill.name}/${path}`, text)),
  ]),
]

const OPENING = 'Slipway chose these skills for this task. Follow them where they apply.'

/** A skill as a part of a prompt. `folder`: where its further files are; null if it has none there. */
const partOf = ({ of, skill, files }: Pick<OwnedSkill, 'of' | 'skill' | 'files'>, folder: string | null): string =>
  [
    `<skill name="${skill.name}" from="${of}">`,
    skill.description,
    '',
    skill.body,
    ...(folder === null || files.length === 0 ? [] : ['', `Its files are in ${folder}/skills/${skill.name}`]),
    '</skill>',
  ].join('\n')

/** What a skill takes of the budget of a prompt, in UTF-16 code units, whichever form its CLI takes. */
export const charactersOf = (skill: Pick<OwnedSkill, 'of' | 'skill' | 'files'>): number => partOf(skill, null).length

/** The prompt with these skills behind it: a command at its beginning stays one. */
export const promptWith = (
  prompt: string,
  skills: readonly Pick<OwnedSkill, 'of' | 'skill' | 'files'>[],
  folder: string | null,
): string => `${prompt}\n\n${OPENING}\n\n${skills.map((one) => partOf(one, folder)).join('\n\n')}\n`
