/** The further files of a skill, as the database has them. */
import { SkillFile } from '@slipway/protocol'
import { Check } from 'typebox/value'

/** What is not a file is left out: a later version may have stored more. */
export const filesIn = (stored: unknown): SkillFile[] =>
  Array.isArray(stored) ? stored.filter((one): one is SkillFile => Check(SkillFile, one)) : []
