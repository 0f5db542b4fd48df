/** A skill of the walk. */
import { type CredentialOwner, ownerColumns } from '../../../src/modules/credentials/owner.ts'
import type { Team } from '../../support/people/team.ts'

export const SKILL = 'skill-of-the-walk'
export const SKILL_TEXT = `---\nname: ${SKILL}\ndescription: says how.\n---\nDo it.\n`

/** Gives an owner the skill. Answers its name. */
export const hasSkill = async ({ database }: Pick<Team, 'database'>, owner: CredentialOwner): Promise<string> => {
  const row = { ...ownerColumns(owner), name: SKILL, enabled: true, text: SKILL_TEXT, files: [] }
  await database.prisma.skill.createMany({ data: [row], skipDuplicates: true })
  return SKILL
}
