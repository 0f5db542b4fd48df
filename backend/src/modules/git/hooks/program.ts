/** Git itself, in the repository of a user who lets its hooks and filters run: its arguments and limits. */
import { readFileSync } from 'node:fs'
import type { ExecBody } from '@slipway/protocol'
import type { NewBranch, RepositoryPlace } from '../program.ts'

/** Longest time for git with all hooks and filters, in seconds. Linters and tests run there. */
export const HOOKED_SECONDS = 300
/** When what does not end by itself is killed, in seconds after its time. Until then git removes its locks. */
const KILL_SECONDS = 5
/** What a busy engine may take in addition, in seconds. */
const ENGINE_SECONDS = 5
/** Longest end of what git and its programs printed that the answer has, in bytes. */
export const SAID_BYTES = 16_384

/** Nothing waits for a user: no prompt, no editor, no pager. There is no terminal either. */
const UNATTENDED = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: ':',
  GIT_SEQUENCE_EDITOR: ':',
  GIT_MERGE_AUTOEDIT: 'no',
  GIT_PAGER: 'cat',
  SSH_ASKPASS_REQUIRE: 'never',
} as const

/** Who commits, as far as the repository does not say it. */
export interface Missing {
  readonly name?: string
  readonly address?: string
}

const SCRIPT = readFileSync(new URL('../scripts/hooked.sh', import.meta.url), 'utf8')

/** Arguments of git, and what it reads. */
export interface Command {
  readonly args: readonly string[]
  readonly stdin?: string
  readonly env?: Readonly<Record<string, string>>
  /** It writes files of the work tree, and moves HEAD. */
  readonly writes?: true
}

export const running = ({ folder }: RepositoryPlace, { args, stdin, env }: Command, seconds: number): ExecBody => ({
  argv: ['timeout', '-k', `${KILL_SECONDS}`, `${seconds}`, '/bin/sh', '-c', SCRIPT, 'slipway-hooked', folder, ...args],
  env: { ...UNATTENDED, ...env },
  timeoutSeconds: seconds + KILL_SECONDS + ENGINE_SECONDS,
  ...(stdin !== undefined && { stdin }),
})

/** What git prints if it cannot write a file. It checks out the branch all the same, and succeeds. */
export const UNWRITTEN = /^(?:error|warning): unable to (?:create|write|read|unlink|stream)/m

/** Exit codes of `timeout`: the time was over, or git was killed and could not remove its locks. */
export const LATE = 124
export const KILLED = 137

/** The paths are relative to the work tree. Git reads them, because arguments have a limit. */
export const adding = (paths: readonly string[]): Command => ({
  args: ['add', '--pathspec-from-file=-', '--pathspec-file-nul'],
  stdin: paths.map((path) => `:(top,literal)${path}\0`).join(''),
})

export const committing = (message: string, { name, address }: Missing, isAmended: boolean): Command => ({
  args: ['commit', '--file=-', ...(isAmended ? ['--amend'] : [])],
  stdin: message,
  env: {
    ...(name !== undefined && { GIT_AUTHOR_NAME: name, GIT_COMMITTER_NAME: name }),
    ...(address !== undefined && { GIT_AUTHOR_EMAIL: address, GIT_COMMITTER_EMAIL: address }),
  },
})

export const switching = (branch: string): Command => ({ args: ['switch', '--no-guess', branch], writes: true })

/** Creates a branch and checks it out. */
export const beginning = ({ name, from, follows }: Pick<NewBranch, 'name' | 'from' | 'follows'>): Command => ({
  args: ['switch', follows === null ? '--no-track' : '--track', '--create', name, ...(from === null ? [] : [from])],
  writes: true,
})

/** Moves the branch to the commit of the branch that it follows, if it has no other commits. */
export const forwarding: Command = {
  args: ['merge', '--ff-only', '@{upstream}'],
  env: { GIT_REFLOG_ACTION: 'pull' },
  writes: true,
}

/** Never by force. The branch follows the remote one then. */
export const pushing = (remote: string, branch: string): Command => ({
  args: ['push', '--set-upstream', '--', remote, `refs/heads/${branch}:refs/heads/${branch}`],
})
