/** Chooses the skills of one prompt: by triggers, priority and budget. Pure. */
import { SKILLS_PER_PROMPT, type SkillChoice, type SkillSource } from '@slipway/protocol'
import { charactersOf } from './rendered.ts'
import type { OwnedSkill } from './skill.ts'

/** A skill that was looked at for a prompt. */
export interface Chosen extends Pick<SkillChoice, 'refused' | 'because' | 'trigger' | 'characters'> {
  readonly owned: OwnedSkill
}

/** Of each name, the first of these owners whose skill is switched on has it. */
const PRECEDENCE: readonly SkillSource[] = ['agent', 'user', 'platform', 'repository']

/** Letters of scripts with blanks between words. Others have no words to tell apart. */
const IN_WORD = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}_]/u
const isInWord = (character = ''): boolean => IN_WORD.test(character)

/** Whether the prompt has these words, not as a part of longer ones. Both are in lower case. */
const mentions = (prompt: string, trigger: string): boolean => {
  const [first, last] = [isInWord(trigger[0]), isInWord(trigger.at(-1))]
  for (let at = prompt.indexOf(trigger); at !== -1; at = prompt.indexOf(trigger, at + 1))
    if (!(first && isInWord(prompt[at - 1])) && !(last && isInWord(prompt[at + trigger.length]))) return true
  return false
}

/** First those whose trigger is in the prompt, then by priority; the rest only makes the order certain. */
const byRank = (one: Chosen, other: Chosen): number =>
  Number(other.because === 'trigger') - Number(one.because === 'trigger') ||
  other.owned.skill.priority - one.owned.skill.priority ||
  PRECEDENCE.indexOf(one.owned.of) - PRECEDENCE.indexOf(other.owned.of) ||
  (one.owned.skill.name < other.owned.skill.name ? -1 : 1)

/**
 * All skills, those that the prompt gets first. `budget` is in characters. A skill that does not fit is left out, and a
 * later one may still fit.
 */
export const chosenSkills = (skills: readonly OwnedSkill[], prompt: string, budget: number): Chosen[] => {
  const text = prompt.toLowerCase()
  const names = new Set<string>()
  const looked = skills
    .toSorted((one, other) => PRECEDENCE.indexOf(one.of) - PRECEDENCE.indexOf(other.of))
    .map((owned): Chosen => {
      const { name, triggers } = owned.skill
      const plain = { owned, characters: charactersOf(owned), because: null, trigger: null }
      if (!owned.enabled) return { ...plain, refused: 'switched_off' }
      if (names.has(name)) return { ...plain, refused: 'replaced' }
      names.add(name)
      if (triggers.length === 0) return { ...plain, because: 'always', refused: null }
      const trigger = triggers.find((one) => mentions(text, one)) ?? null
      return trigger === null
        ? { ...plain, refused: 'no_trigger' }
        : { ...plain, because: 'trigger', trigger, refused: null }
    })
    .toSorted(byRank)
  let left = budget
  let count = 0
  const all = looked.map((one): Chosen => {
    if (one.refused !== null) return one
    if (one.characters > left) return { ...one, refused: 'over_budget' }
    if (count === SKILLS_PER_PROMPT) return { ...one, refused: 'too_many' }
    left -= one.characters
    count += 1
    return one
  })
  return [...all.filter(({ refused }) => refused === null), ...all.filter(({ refused }) => refused !== null)]
}

/** As the API shows it. */
export const presentChoice = ({ owned, ...choice }: Chosen): SkillChoice => {
  const { name, description, triggers, priority } = owned.skill
  return { of: owned.of, name, description, triggers: [...triggers], priority, ...choice }
}
