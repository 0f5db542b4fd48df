/** Runs git in a repository as a terminal does: with the hooks, filters and configuration of the repository. */
import type { Committed } from '@slipway/protocol'
import { AppError } from '../../../lib/errors.ts'
import { failureOf } from '../failures.ts'
import { partsOf, textOf } from '../paths.ts'
import { type Author, type NewBranch, readingReady, type RepositoryPlace, unlocking } from '../program.ts'
import type { GitRunner } from '../runner.ts'
import type { Asked, UserPrograms } from './asked.ts'
import {
  adding,
  beginning,
  type Command,
  committing,
  forwarding,
  HOOKED_SECONDS,
  KILLED,
  LATE,
  pushing,
  running,
  SAID_BYTES,
  switching,
  UNWRITTEN,
} from './program.ts'

/** Exit codes of the scripts that describe what is refused here, too. */
const REFUSED = { noPlainFile: 25, moved: 26, unfinished: 30, branchTaken: 33, atRemote: 44 } as const
/** Unfinished work that a commit would end, except for a merge. */
const MERGE = 'MERGE_HEAD'

export interface HookedDeps {
  readonly runner: GitRunner
  readonly programs: UserPrograms
  /** For tests: how long git may take. */
  readonly seconds?: number
}

/** What a repository is before git runs. */
interface Ready {
  /** The commit that is checked out; empty: none. */
  readonly head: string
  readonly name: string
  readonly address: string
  readonly remote: string
  /** The commit of the branch; empty: none. */
  readonly at: string
  readonly unfinished: string
  readonly isAtRemote: boolean
  /** The container's time, in seconds. */
  readonly now: string
}

/**
 * All acts throw `FILES_NOT_WRITTEN` if git could not write all files, `GIT_FAILED` with what git and its programs printed, `NO_REPOSITORY`, and what a look and a program throw. They wait
 * for no other act in the agent: hooks take long, and git itself locks what it changes.
 */
export class HookedGit {
  readonly #deps: HookedDeps

  constructor(deps: HookedDeps) {
    this.#deps = deps
  }

  /** Stages files as their filters store them. */
  async stage(asked: Asked, repository: string, paths: readonly Buffer[]): Promise<void> {
    const texts = paths.map(textOf)
    // A folder is another repository. A program's input is text.
    const isPlain = paths.every((path, at) => Buffer.from(texts[at] ?? '').equals(path) && path.at(-1) !== 0x2f)
    if (!isPlain) throw failureOf(REFUSED.noPlainFile)
    const place = this.#deps.runner.placeOf(repository)
    await this.#run(asked, place, await this.#ready(asked, place), adding(texts))
  }

  async commit(
    asked: Asked,
    repository: string,
    { message, author, amends }: { readonly message: string; readonly author: Author; readonly amends: string | null },
  ): Promise<Committed> {
    const place = this.#deps.runner.placeOf(repository)
    const ready = await this.#ready(asked, place, { isAmended: amends !== null })
    const { head, name, address, unfinished, isAtRemote } = ready
    if (unfinished !== '' && (unfinished !== MERGE || amends !== null)) throw failureOf(REFUSED.unfinished)
    if (amends !== null && amends !== head) throw failureOf(REFUSED.moved)
    if (isAtRemote) throw failureOf(REFUSED.atRemote)
    const missing = { ...(name === '' && { name: author.name }), ...(address === '' && { address: author.address }) }
    await this.#run(asked, place, ready, committing(message, missing, amends !== null))
    return { commit: (await this.#ready(asked, place)).head }
  }

  async switch(asked: Asked, repository: string, branch: string): Promise<void> {
    const place = this.#deps.runner.placeOf(repository)
    await this.#run(asked, place, await this.#ready(asked, place), switching(branch))
  }

  /** Creates a branch and checks it out. */
  async begin(asked: Asked, repository: string, branch: Pick<NewBranch, 'name' | 'from' | 'follows'>): Promise<void> {
    const place = this.#deps.runner.placeOf(repository)
    const ready = await this.#ready(asked, place, { branch: branch.name })
    if (ready.at !== '') throw failureOf(REFUSED.branchTaken)
    await this.#run(asked, place, ready, beginning(branch))
  }

  /** Moves the branch to the one that it follows. */
  async forward(asked: Asked, repository: string): Promise<void> {
    const place = this.#deps.runner.placeOf(repository)
    await this.#run(asked, place, await this.#ready(asked, place), forwarding)
  }

  /** Pushes a branch that must be at this commit. */
  async push(asked: Asked, repository: string, branch: string, commit: string): Promise<void> {
    const place = this.#deps.runner.placeOf(repository)
    const ready = await this.#ready(asked, place, { branch })
    if (ready.at !== commit) throw failureOf(REFUSED.moved)
    if (ready.remote === '') throw new AppError('WRONG_STATE', 'The repository has no remote.')
    await this.#run(asked, place, ready, pushing(ready.remote, branch))
  }

  #ready(
    { found }: Asked,
    place: RepositoryPlace,
    { branch = '', isAmended = false }: { readonly branch?: string; readonly isAmended?: boolean } = {},
  ): Promise<Ready> {
    return this.#deps.runner.look(found, readingReady(place, branch, isAmended), (stdout) => {
      const [head = '', name = '', address = '', remote = '', at = '', unfinished = '', isAtRemote = '', now = ''] =
        partsOf(stdout).map(textOf)
      return { head, name, address, remote, at, unfinished, isAtRemote: isAtRemote !== '', now }
    })
  }

  async #run(asked: Asked, place: RepositoryPlace, { now }: Ready, command: Command): Promise<void> {
    const { programs, runner, seconds = HOOKED_SECONDS } = this.#deps
    const { exitCode, stdout, stderr, timedOut } = await programs.run(asked, running(place, command, seconds))
    const isUnwritten = command.writes === true && UNWRITTEN.test(stderr)
    if (exitCode === 0 && !timedOut && !isUnwritten) return
    const isLate = timedOut || exitCode === LATE
    const isKilled = exitCode === KILLED
    if (isLate || isKilled) await runner.act(asked.found, unlocking(place, now))
    // A secret that the first cut leaves a part of is behind the second one.
    const said = await programs.masked(asked, endOf([stderr, stdout].join('\n'), 2 * SAID_BYTES))
    const words = endOf(said, SAID_BYTES)
    if (isUnwritten && !isLate && !isKilled)
      throw new AppError(
        'FILES_NOT_WRITTEN',
        `Git could not write all files${exitCode === 0 ? ', but moved HEAD' : ''}. ${LOOK}\n${words}`,
      )
    const first = isLate ? lateAfter(seconds) : isKilled ? KILLED_BY_OTHERS : refused(exitCode)
    const state = command.writes && (isLate || isKilled) ? ` ${LOOK}` : ''
    throw new AppError('GIT_FAILED', `${first}${state}\n${words}`.trim())
  }
}

const refused = (exitCode: number | null): string =>
  `Git, or a hook or filter of the repository, failed with exit code ${exitCode ?? 'unknown'}.`
const LOOK =
  'Some files may be written, and others not: `git status` in a terminal says where HEAD is, and lists them. `git restore <file>` brings a file to where HEAD is.'
const KILLED_BY_OTHERS = 'Git was killed, for example because the memory of the agent ran out.'
const lateAfter = (seconds: number): string =>
  `Git, a hook or a filter took longer than ${seconds === 1 ? '1 second' : `${seconds} seconds`}, and was ended.`

/** The end of a text, from the beginning of a character on. */
const endOf = (text: string, bytesMax: number): string => {
  const bytes = Buffer.from(text.trim())
  if (bytes.length <= bytesMax) return bytes.toString('utf8')
  return bytes
    .subarray(bytes.length - bytesMax)
    .toString('utf8')
    .replace(/^\ufffd+/, '')
}
