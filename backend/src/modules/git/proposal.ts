/** Reads what the script says of a branch that may be proposed. It comes from the container, so it may be anything. */
import { RuntimeError } from '../../runtime/errors.ts'
import { partsOf, textOf } from './paths.ts'

/** The message of a commit: its first line, and the rest. */
export interface Message {
  readonly subject: string
  readonly body: string
}

/** The branch that is checked out, and how it stands to the branch of its remote that the work is for. */
export interface Standing {
  readonly branch: string | null
  readonly commit: string | null
  readonly remote: { readonly name: string; readonly url: string } | null
  readonly base: string | null
  /** Commits that the base lacks; null: unknown. */
  readonly ahead: number | null
  /** The commit of the branch on the remote. */
  readonly pushed: string | null
}

/** What there is to propose. */
export interface Proposed extends Standing {
  /** Of the newest commits that the base lacks, the oldest of them first. */
  readonly messages: readonly Message[]
}

/** The parts of a {@link Standing}, which scripts print first. */
const STANDING_PARTS = 7

/** Of the first parts that a script prints. */
export const standingOf = (parts: readonly string[]): Standing => {
  const [branch, commit, name, url, base, ahead, pushed] = parts.slice(0, STANDING_PARTS).map((part) => part || null)
  return {
    branch: branch ?? null,
    commit: commit ?? null,
    remote: name && url ? { name, url } : null,
    base: base ?? null,
    ahead: ahead && /^\d{1,9}$/.test(ahead) ? Number(ahead) : null,
    pushed: pushed ?? null,
  }
}

/** Throws a `RuntimeError` for what the script does not print. */
export const proposedIn = (output: Buffer): Proposed => {
  const parts = partsOf(output).map(textOf)
  if (parts.length < STANDING_PARTS) throw new RuntimeError('engine_error', 'the script printed something else')
  const messages: Message[] = []
  for (let at = STANDING_PARTS; at + 1 < parts.length; at += 2) {
    const [subject = '', body = ''] = parts.slice(at, at + 2)
    // Git fills a short subject up with blanks.
    messages.push({ subject: subject.trim(), body: body.trim() })
  }
  return { ...standingOf(parts), messages }
}
