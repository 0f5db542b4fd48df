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
  /** Of the newest commits that the base lacks, the oldest of them first. */
  readonly messages: readonly Message[]
}

/** The parts that the script prints before the messages. */
const HEAD_PARTS = 7

/** Throws a `RuntimeError` for what the script does not print. */
export const standingIn = (output: Buffer): Standing => {
  const parts = partsOf(output).map(textOf)
  if (parts.length < HEAD_PARTS) throw new RuntimeError('engine_error', 'the script printed something else')
  const [branch, commit, name, url, base, ahead, pushed] = parts.slice(0, HEAD_PARTS).map((part) => part || null)
  const messages: Message[] = []
  for (let at = HEAD_PARTS; at + 1 < parts.length; at += 2) {
    const [subject = '', body = ''] = parts.slice(at, at + 2)
    // Git fills a short subject up with blanks.
    messages.push({ subject: subject.trim(), body: body.trim() })
  }
  return {
    branch: branch ?? null,
    commit: commit ?? null,
    remote: name && url ? { name, url } : null,
    base: base ?? null,
    ahead: ahead && /^\d{1,9}$/.test(ahead) ? Number(ahead) : null,
    pushed: pushed ?? null,
    messages,
  }
}
