/** What is in the repositories of an agent's home. Nothing is changed, and nothing of a repository runs. */
import {
  type ChangedFile,
  type GitCommitChanges,
  type GitDiff,
  type GitDiffQuery,
  type GitLog,
  type GitRefs,
  type GitRepositories,
  GIT_REFS_MAX,
  type GitStashes,
  type GitStatus,
  type LastCommit,
  type LogQuery,
  type MessagePrompt,
  type MessagePromptQuery,
  REPOSITORIES_MAX,
  type RepositoryQuery,
  type StatusQuery,
} from '@slipway/protocol'
import { RuntimeError } from '../../runtime/errors.ts'
import type { Found } from '../agents/service.ts'
import type { Activity } from '../agents/state/activity.ts'
import { changesIn } from './diff/parse.ts'
import { TOO_LARGE } from './failures.ts'
import { lastIn, logIn, refsIn, repositoriesIn, stashesIn } from './lists.ts'
import { promptIn } from './diff/message-prompt.ts'
import { pathOf, textOf } from './paths.ts'
import {
  finding,
  readingCommit,
  readingDiff,
  readingLast,
  readingLog,
  readingRefs,
  readingStaged,
  readingStashes,
  readingStatus,
} from './program.ts'
import type { GitRunner } from './runner.ts'
import { statusIn } from './status.ts'

/** Commits in one answer of the log, unless the request says another number. */
const LOG_LIMIT = 200
/** Who may read the files may read this: nothing is masked. */
const PLAIN = { mask: (text: string): string => text }

export class GitReader {
  readonly #runner: GitRunner
  readonly #activity: Pick<Activity, 'saw'>

  constructor(runner: GitRunner, activity: Pick<Activity, 'saw'>) {
    this.#runner = runner
    this.#activity = activity
  }

  async repositories(found: Found): Promise<GitRepositories> {
    return this.#runner.look(found, finding(REPOSITORIES_MAX), repositoriesIn)
  }

  async status(found: Found, { repository, ignored = false }: StatusQuery): Promise<GitStatus> {
    const status = await this.#runner.look(found, readingStatus(this.#runner.placeOf(repository), ignored), statusIn)
    this.#activity.saw(found.row.id, { folder: repository, branch: status.branch })
    return status
  }

  /** The diff of one file. One that is too large is answered with its size, without a patch. Throws like {@link status}. */
  async diff(found: Found, { repository, file, oldFile, side }: GitDiffQuery): Promise<GitDiff> {
    const paths = [file, ...(oldFile === undefined ? [] : [oldFile])].map(pathOf)
    const options = readingDiff(this.#runner.placeOf(repository), side, paths)
    return this.#runner.look(found, options, (stdout, { exitCode, stderr }) => {
      if (exitCode === TOO_LARGE) return { file: tooLarge(textOf(pathOf(file)), stderr), seen: null }
      const end = stdout.indexOf(0x0a)
      const [, base] = /^([0-9a-f]{40,64})$/.exec(stdout.toString('latin1', 0, Math.max(end, 0))) ?? []
      if (base === undefined) throw new RuntimeError('engine_error', 'the script printed something else')
      const { files, tree } = changesIn(stdout.subarray(end + 1), PLAIN)
      return { file: files[0] ?? null, seen: { base, tree } }
    })
  }

  async refs(found: Found, { repository }: RepositoryQuery): Promise<GitRefs> {
    return this.#runner.look(found, readingRefs(this.#runner.placeOf(repository), GIT_REFS_MAX + 1), refsIn)
  }

  async log(found: Found, { repository, from, skip = 0, limit = LOG_LIMIT }: LogQuery): Promise<GitLog> {
    const options = readingLog(this.#runner.placeOf(repository), from ?? null, skip, limit + 1)
    return this.#runner.look(found, options, (stdout) => logIn(stdout, limit))
  }

  async commit(found: Found, { repository }: RepositoryQuery, commit: string): Promise<GitCommitChanges> {
    return this.#runner.look(found, readingCommit(this.#runner.placeOf(repository), commit), (stdout) => {
      const { files, truncated } = changesIn(stdout, PLAIN)
      return { files, truncated }
    })
  }

  /** The commit that a user may amend. Throws `CHANGES_CONFLICT` if there is none, and `GIT_REFUSED` for a long message. */
  async last(found: Found, { repository }: RepositoryQuery): Promise<LastCommit> {
    return this.#runner.look(found, readingLast(this.#runner.placeOf(repository)), lastIn)
  }

  /** Asks a CLI for the message of a commit of what is staged. Throws `GIT_REFUSED` if nothing is. */
  async messagePrompt(found: Found, { repository, amends = false }: MessagePromptQuery): Promise<MessagePrompt> {
    const place = this.#runner.placeOf(repository)
    return this.#runner.look(found, readingStaged(place, amends), (stdout) => promptIn(stdout, place.id))
  }

  async stashes(found: Found, { repository }: RepositoryQuery): Promise<GitStashes> {
    return this.#runner.look(found, readingStashes(this.#runner.placeOf(repository)), stashesIn)
  }
}

/** The script says the size in its error output. */
const tooLarge = (path: string, stderr: Buffer): ChangedFile => {
  const [digits] = /^\d{1,15}$/m.exec(stderr.toString('latin1')) ?? []
  return {
    path,
    oldPath: null,
    status: 'modified',
    insertions: null,
    deletions: null,
    binary: false,
    size: digits === undefined ? null : Number(digits),
    tooLarge: true,
    patch: null,
  }
}
