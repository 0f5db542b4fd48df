/** Reads skills in an agent. Everything that it reads may be hostile. */
import { readFileSync } from 'node:fs'
import { AGENT_HOME, SKILL_FILES_BYTES, SKILL_FILES_MAX, SKILL_TEXT_MAX, SKILLS_IMPORTED_MAX } from '@slipway/protocol'
import type { SkillFile, SkillProblem } from '@slipway/protocol'
import { SECOND_MS } from '../../../lib/time/clock.ts'
import type { ContainerRuntime, RunOptions } from '../../../runtime/port.ts'
import { readSkill } from '../skill.ts'
import type { SkillText } from '../skill-text.ts'

/** A skill that was found in an agent. */
export interface FoundSkill {
  /** Its folder. */
  readonly path: string
  readonly text: string
  readonly files: readonly SkillFile[]
  /** Null if there are problems. */
  readonly skill: SkillText | null
  readonly problems: readonly SkillProblem[]
}

export interface ReadSkills {
  readonly skills: readonly FoundSkill[]
  /** Whether there are more than are read. */
  readonly more: boolean
}

/** Why nothing was read, by the exit code of the scripts. */
export const NO_FOLDER = 20
export const OUTSIDE_HOME = 21
export const NOT_CLONED = 22
export const TOO_LARGE = 23
export const TOO_SLOW: readonly number[] = [24, 124, 137]

const SCRIPT = readFileSync(new URL('read.sh', import.meta.url), 'utf8')
const CLONE_SCRIPT = readFileSync(new URL('clone.sh', import.meta.url), 'utf8')
/** Longest time to clone a repository and to read it, in seconds. */
const CLONE_SECONDS = 60
/** Most bytes of what git receives, and of all files of the repository. */
const CLONE_BYTES = 64 * 1_048_576
/** Longest time to read a folder, in seconds. */
const READ_SECONDS = 10
/** What a busy engine may take in addition, in milliseconds. */
const ENGINE_MS = 5 * SECOND_MS
/** Most bytes of one file: more than a skill may have, so that a longer one is known as such. */
const FILE_BYTES = Math.max(SKILL_FILES_BYTES, 4 * SKILL_TEXT_MAX) + 1
/** Most of git's own words that are shown, in UTF-16 code units. */
const SAID_MAX = 300
/** Most bytes that are read in all, as the script prints them. */
const OUTPUT_BYTES = 8 * 1_048_576

/** The script for a folder. */
export const reading = (mode: 'folder' | 'repository', folder: string, home: string = AGENT_HOME): RunOptions => {
  return options(READ_SECONDS, [SCRIPT, 'slipway-skills', mode, home, folder, ...LIMITS])
}

/** The script for a repository at an address, which the agent clones and removes. */
export const cloning = (url: string, ref = ''): RunOptions =>
  options(CLONE_SECONDS, [CLONE_SCRIPT, 'slipway-skills', url, ref, `${CLONE_BYTES}`, SCRIPT, ...LIMITS])

const LIMITS = [SKILLS_IMPORTED_MAX, SKILL_FILES_MAX + 1, FILE_BYTES].map(String)

const options = (seconds: number, script: readonly string[]): RunOptions => ({
  argv: ['timeout', '-k', '1', `${seconds}`, '/bin/sh', '-c', ...script],
  timeoutMs: seconds * SECOND_MS + ENGINE_MS,
  maxOutputBytes: OUTPUT_BYTES,
})

/** Why a script read nothing: its exit code, and the beginning of what it said. */
export interface Unread {
  readonly exitCode: number
  readonly said: string
}

/** A folder as users name it: absolute, or relative to the home. */
export const inHome = (folder: string): string =>
  folder.startsWith('/') ? folder : `${AGENT_HOME}/${folder.replace(/^~(?:\/|$)/, '')}`

/** Runs a script. Throws `RuntimeError`s. */
export const readSkillsIn = async (
  runtime: Pick<ContainerRuntime, 'run'>,
  containerId: string,
  options: RunOptions,
): Promise<ReadSkills | Unread> => {
  const { exitCode, stdout, stderr } = await runtime.run(containerId, options)
  return exitCode === 0 ? skillsIn(stdout) : { exitCode, said: stderr.toString('utf8').trim().slice(0, SAID_MAX) }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })
/** The text of a file; null if it is not one. */
const textOf = (base64: string): string | null => {
  try {
    const text = utf8.decode(Buffer.from(base64, 'base64'))
    return text.includes('\0') ? null : text
  } catch {
    return null
  }
}

/** The skills in the output of the script, of which the last file may be cut. */
export const skillsIn = (output: Buffer): ReadSkills => {
  const parts = output.toString('utf8').split('\0')
  const found = new Map<string, Map<string, string | null>>()
  for (let at = 0; at + 3 < parts.length; at += 3) {
    const [folder = '', path = '', content = ''] = parts.slice(at, at + 3)
    const files = found.get(folder) ?? new Map<string, string | null>()
    found.set(folder, files.set(path, textOf(content)))
  }
  const all = [...found]
  const skills = all.slice(0, SKILLS_IMPORTED_MAX).map(([folder, files]) => skillOf(folder, files))
  return { skills, more: all.length > SKILLS_IMPORTED_MAX }
}

const skillOf = (path: string, all: ReadonlyMap<string, string | null>): FoundSkill => {
  const text = all.get('SKILL.md') ?? ''
  const unread: SkillProblem[] = []
  const files: SkillFile[] = []
  for (const [name, content] of all) {
    if (name === 'SKILL.md' && content !== null) continue
    if (content === null) unread.push({ field: name === 'SKILL.md' ? name : 'files', message: `${name} is no text` })
    else files.push({ path: name, text: content })
  }
  const { skill, problems } = readSkill(text, files)
  const every = [...unread, ...problems]
  return { path: path.replace(/^\.\//, ''), text, files, skill: every.length === 0 ? skill : null, problems: every }
}
