/** The script that clones a repository inside the container: its arguments, limits and exit codes. */
import { readFileSync } from 'node:fs'
import { AGENT_HOME } from '@slipway/protocol'
import { DEVCONTAINER_BYTES } from './devcontainer/offer.ts'

/** Longest time of a clone, in seconds: some ten GiB over a line of 50 Mbit/s. */
export const CLONE_SECONDS = 1800
/** Longest time of a set-up command, in seconds. */
export const SETUP_SECONDS = 1800

const SCRIPT = readFileSync(new URL('scripts/clone.sh', import.meta.url), 'utf8')

const GIT_FAILED = 42
const FAILURES: Readonly<Record<number, string>> = {
  24: 'The clone was ended from outside.',
  40: 'There is something with the name of the folder in the home already. Remove it, or rename it.',
  41: 'The home cannot be written.',
  127: 'There is no git in the image of the agent.',
}
/** What git says if it would have asked for a password. Hosts answer with the third for what must not be seen. */
const NO_ACCESS =
  /could not read (?:Username|Password)|Authentication failed|[Rr]epository.* not found|Permission denied/

/** The repository of a preparation. */
export interface ToClone {
  readonly id: string
  readonly url: string
  readonly ref: string | null
  readonly folder: string
}

/** `attempt` is a new id. */
export const cloning = (attempt: string, { id, url, ref, folder }: ToClone): string[] => [
  ...['/bin/sh', '-c', SCRIPT, 'slipway-clone', `${AGENT_HOME}/.slipway-clone-${attempt}`],
  // One byte more, so that a longer file is seen to be cut.
  ...[AGENT_HOME, folder, id, url, ref ?? '', `${DEVCONTAINER_BYTES + 1}`],
]

/** What the script says of a clone. */
export interface Cloned {
  /** Null: the repository is empty. */
  readonly commit: string | null
  /** Null: a tag is checked out. */
  readonly branch: string | null
  /** Its `devcontainer.json`, as it is committed. */
  readonly devcontainer: { readonly path: string; readonly text: string } | null
}

/** Null: the output is no answer of the script. */
export const clonedIn = (stdout: string): Cloned | null => {
  const parts = stdout.split('\0')
  const [commit = '', branch = '', path = '', text = '', end] = parts
  if (end !== '' || parts.length !== 5 || (commit !== '' && !/^[0-9a-f]{40,64}$/.test(commit))) return null
  return { commit: commit || null, branch: branch || null, devcontainer: path === '' ? null : { path, text } }
}

/** Why there is no clone. `said` is what git said. */
export const cloneFailure = (exitCode: number | null, said: string): string => {
  if (exitCode !== GIT_FAILED) return FAILURES[exitCode ?? -1] ?? `The clone ended with exit code ${exitCode}.`
  // Its last words are the error; the lines before are what the server said.
  const words = said.trim()
  if (words === '') return 'Git could not clone the repository, and did not say why.'
  const hint = NO_ACCESS.test(words)
    ? ' If the repository is private, set a GitHub or git token and let programs of this agent use it.'
    : ''
  return `Git could not clone the repository.${hint}`
}

/** Where its programs run. */
export const folderPath = (folder: string | null): string => (folder === null ? AGENT_HOME : `${AGENT_HOME}/${folder}`)
