/** Reads lists that the scripts print: repositories, references, commits, stashes. They may be anything. */
import {
  GIT_REFS_MAX,
  type GitCommit,
  type GitLog,
  type GitRef,
  type GitRefs,
  type GitRepositories,
  type GitRepository,
  type GitStashes,
  type LastCommit,
  REPOSITORIES_MAX,
  STASHES_MAX,
} from '@slipway/protocol'
import { RuntimeError } from '../../runtime/errors.ts'
import { isText, partsOf, textOf } from './paths.ts'

const ID = /^[0-9a-f]{40,64}$/
/** Seconds since 1970 as the API writes a moment; null for what is none. */
const momentOf = (seconds: string | undefined): string | null => {
  const at = new Date(Number(/^\d{1,12}$/.exec(seconds ?? '')?.[0] ?? Number.NaN) * 1000)
  return Number.isNaN(at.getTime()) ? null : at.toISOString()
}

export const repositoriesIn = (output: Buffer): GitRepositories => {
  const parts = partsOf(output)
  const found: GitRepository[] = []
  let unnamed = 0
  for (let at = 0; at + 2 < parts.length; at += 3) {
    const [path, kind, head] = parts.slice(at, at + 3)
    if (!path || !kind || !head) break
    const text = textOf(path)
    if (!isText(path) || text.includes('\n')) unnamed += 1
    else {
      const [, branch = null] = /^ref: refs\/heads\/(?!\.invalid$)(.+)$/.exec(textOf(head)) ?? []
      found.push({
        path: text.replace(/^\.\//, ''),
        kind: kind.toString('latin1') === 'linked' ? 'linked' : 'main',
        branch,
      })
    }
  }
  const items = found.sort((one, other) => (one.path < other.path ? -1 : 1))
  return { items: items.slice(0, REPOSITORIES_MAX), truncated: found.length + unnamed > REPOSITORIES_MAX, unnamed }
}

const KINDS = { heads: 'branch', remotes: 'remote', tags: 'tag' } as const

export const refsIn = (output: Buffer): GitRefs => {
  const all = output
    .toString('utf8')
    .split('\n')
    .slice(0, -1)
    .flatMap((line): GitRef[] => {
      const fields = line.split('\0')
      const [ref = '', id = '', peeled = '', upstream = '', seconds, place = '', symref, subject = ''] = fields
      const [, group = '', name = ''] = /^refs\/(heads|remotes|tags)\/(.+)$/.exec(ref) ?? []
      const commit = peeled || id
      // A symbolic one, such as `origin/HEAD`, is another name of one of the others.
      if (fields.length !== 8 || name === '' || symref !== '' || !ID.test(commit)) return []
      return [
        {
          kind: KINDS[group as keyof typeof KINDS],
          ...{ name, commit, subject },
          upstream: upstream.replace(/^refs\/(?:remotes|heads)\//, '') || null,
          committedAt: momentOf(seconds),
          checkedOutIn: place || null,
        },
      ]
    })
  return { items: all.slice(0, GIT_REFS_MAX), truncated: all.length > GIT_REFS_MAX }
}

/** Fields of a commit in the script's log. */
const COMMIT_FIELDS = 6

/** `limit`: how many were wanted. One more was asked for. */
export const logIn = (output: Buffer, limit: number): GitLog => {
  const fields = partsOf(output).map(textOf)
  const items: GitCommit[] = []
  for (let at = 0; at + COMMIT_FIELDS <= fields.length; at += COMMIT_FIELDS) {
    const [id = '', parents = '', author = '', address = '', seconds, subject = ''] = fields.slice(at)
    if (!ID.test(id)) break
    items.push({
      id,
      parents: parents.split(' ').filter((parent) => ID.test(parent)),
      // Git fills them up with blanks.
      ...{ author: author.trimEnd(), address: address.trimEnd(), subject: subject.trimEnd() },
      committedAt: momentOf(seconds),
    })
  }
  return { items: items.slice(0, limit), more: items.length > limit }
}

/** Throws a `RuntimeError` for what the script does not print. */
export const lastIn = (output: Buffer): LastCommit => {
  const [commit = '', place, message] = textOf(output).split('\0')
  if (!ID.test(commit) || message === undefined)
    throw new RuntimeError('engine_error', 'the script printed something else')
  return { commit, isAtRemote: place === 'remote', message: message.trimEnd() }
}

export const stashesIn = (output: Buffer): GitStashes => {
  const lines = output.toString('utf8').split('\n').reverse()
  const all = lines.flatMap((line) => {
    const [, commit, seconds, text = ''] =
      /^[0-9a-f]{40,64} ([0-9a-f]{40,64}) .*> (\d{1,12}) [+-]\d{4}(?:\t(.*))?$/.exec(line) ?? []
    return commit === undefined ? [] : [{ commit, text, stashedAt: momentOf(seconds) }]
  })
  return {
    items: all.slice(0, STASHES_MAX).map((stash, at) => ({ at, ...stash })),
    truncated: all.length > STASHES_MAX,
  }
}
