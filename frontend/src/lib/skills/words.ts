import type { SkillChoice } from '@slipway/protocol'

/** The skill of which a new one begins. */
export const NEW_SKILL = `---
name: my-skill
description: What it is for, in a sentence.
triggers: [changelog, release notes]
priority: 0
---

What to do, step by step.
`

const REFUSALS: Readonly<Record<NonNullable<SkillChoice['refused']>, string>> = {
  no_trigger: 'no trigger is in the prompt',
  over_budget: 'does not fit into the budget',
  too_many: 'the prompt has the most skills already',
  switched_off: 'switched off',
  replaced: 'another owner has one of this name',
}

/** Why a prompt gets a skill, or does not get it. */
export const reasonOf = ({ refused, trigger }: SkillChoice): string =>
  refused !== null ? REFUSALS[refused] : trigger === null ? 'for every prompt' : `the prompt has “${trigger}”`
