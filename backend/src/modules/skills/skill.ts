/** A skill as a whole: its text and its further files, checked. Pure. */
import {
  SKILL_FILES_BYTES,
  SKILL_FILES_MAX,
  type SkillFile,
  type SkillProblem,
  type SkillSource,
} from '@slipway/protocol'
import { hiddenIn } from './hidden.ts'
import { readSkillText, type SkillText } from './skill-text.ts'

/** A skill that is valid, and whose it is. */
export interface OwnedSkill {
  readonly of: SkillSource
  readonly enabled: boolean
  readonly skill: SkillText
  readonly files: readonly SkillFile[]
}

/** What is not in this list could hide, leave the folder, or mean something to a shell or a CLI. */
const SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/
/** How deep the files of a skill may be. */
const DEPTH_MAX = 5

/** Reads a skill, with a problem for each field that is wrong. Both arguments may be hostile. */
export const readSkill = (text: string, files: readonly SkillFile[]): ReturnType<typeof readSkillText> => {
  const read = readSkillText(text)
  const problems = [...read.problems, ...fileProblems(files)]
  return { skill: problems.length === 0 ? read.skill : null, problems }
}

const fileProblems = (files: readonly SkillFile[]): SkillProblem[] => {
  const messages: string[] = []
  const paths = new Set<string>()
  for (const { path, text } of files) {
    const hidden = hiddenIn(text)
    if (!isPath(path)) messages.push(`may not have the path ${JSON.stringify(path.slice(0, 200))}`)
    else if (hidden !== null) messages.push(`has the invisible character ${hidden} in ${path}`)
    // Some systems that a skill is copied to do not tell the cases apart.
    if (paths.has(path.toLowerCase())) messages.push(`has the path ${path} twice`)
    paths.add(path.toLowerCase())
  }
  if ([...paths].some((one) => [...paths].some((other) => other.startsWith(`${one}/`))))
    messages.push('has a path that is a file and a folder')
  if (files.length > SKILL_FILES_MAX) messages.push(`has more than ${SKILL_FILES_MAX} files`)
  if (files.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0) > SKILL_FILES_BYTES)
    messages.push(`has more than ${SKILL_FILES_BYTES / 1024} KiB of files`)
  return messages.map((message) => ({ field: 'files', message }))
}

const isPath = (path: string): boolean => {
  const segments = path.split('/')
  return segments.length <= DEPTH_MAX && segments.every((one) => SEGMENT.test(one)) && segments[0] !== 'SKILL.md'
}
