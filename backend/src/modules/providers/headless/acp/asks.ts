/** The questions of a CLI that speaks ACP, and how they are answered. */
import { createHash } from 'node:crypto'
import {
  type AnswerDialog,
  DIALOG_TEXT_MAX,
  DIALOG_TITLE_MAX,
  DIALOGS_OPEN_PER_RUN,
  type RunHappening,
} from '@slipway/protocol'
import type { Ask, AskedQuestion } from '../headless.ts'
import { callIdIn } from '../parts/ids.ts'
import { bounded, type Fields, fieldsIn, listIn, textIn } from '../parts/json.ts'
import { resultLine, type RpcId } from '../parts/rpc.ts'
import type { Call } from './calls.ts'
import type { AcpCli } from './cli.ts'

/** Longest path, in UTF-16 code units. */
const PATH_MAX = 4_096
/** How many characters of a digest name a question, besides the protocol's id. */
const DIGEST_LENGTH = 16

/** What the protocol calls the kinds of tools, as the platform grades them. */
const GRADED: ReadonlyMap<string, string> = new Map([
  ['read', 'Read'],
  ['search', 'Grep'],
  ['fetch', 'WebFetch'],
  ['edit', 'Edit'],
])

/** A question, as it was printed. */
export interface Printed {
  readonly id: RpcId
  readonly params: Fields
  readonly call: Call
}

/** The answer of a client that does not want to answer. It counts as a denial. */
export const cancelledLine = (id: RpcId): string => resultLine(id, { outcome: { outcome: 'cancelled' } })

/** Whether the CLI offers both answers that count once. */
export const isOffered = (cli: AcpCli, params: Fields): boolean => {
  const ids = new Set(listIn(params.options).map(({ optionId }) => optionId))
  return ids.has(cli.allowOnce) && ids.has(cli.rejectOnce)
}

/** The questions of one process that have no answer yet. */
export class AcpAsks {
  readonly #cli: AcpCli
  #open: readonly Ask[] = []

  constructor(cli: AcpCli) {
    this.#cli = cli
  }

  get open(): readonly Ask[] {
    return this.#open
  }

  /** A request for a permission whose options are offered. */
  asked(printed: Printed): RunHappening[] {
    const ask = this.#askOf(printed)
    if (this.#open.some(({ id }) => id === ask.id)) return []
    if (this.#open.length >= DIALOGS_OPEN_PER_RUN) {
      const message = `${this.#cli.label} has more than ${DIALOGS_OPEN_PER_RUN} questions at once. This one is not asked.`
      return [{ type: 'status', status: 'notice', message }]
    }
    this.#open = [...this.#open, ask]
    return [{ type: 'question', requestId: ask.id, callId: callIdOf(ask), title: ask.title }]
  }

  /** The CLI does not wait for these any more. Answers their calls. */
  settle(isSettled: (ask: Ask) => boolean): readonly (string | null)[] {
    const settled = this.#open.filter(isSettled)
    if (settled.length > 0) this.#open = this.#open.filter((ask) => !settled.includes(ask))
    return settled.map(callIdOf)
  }

  #askOf({ id, params, call }: Printed): Ask {
    const { label, stopsWhenDenied } = this.#cli
    const tool = bounded(toolOf(call), DIALOG_TITLE_MAX)
    const path = call.changes[0]?.path ?? pathIn(params)
    const question: AskedQuestion = {
      kind: 'approval',
      tool,
      command: call.command === null ? null : bounded(call.command, DIALOG_TEXT_MAX),
      path: call.command !== null || path === null ? null : bounded(path, PATH_MAX),
      input: call.edit ?? call.input ?? { title: call.title },
      why: null,
      // The protocol has no place for another command, and none for a reason.
      editable: false,
      takesReason: false,
    }
    const words = [call.description ?? [], stopsWhenDenied ? `${label} ends its turn if this is denied.` : []].flat()
    return {
      id: `${id}-${digestOf(params)}`,
      title: bounded(`${label} wants to use ${tool}`, DIALOG_TITLE_MAX),
      message: words.length === 0 ? null : bounded(words.join('\n'), DIALOG_TEXT_MAX),
      question,
      printed: { id, toolCallId: fieldsIn(params.toolCall).toolCallId },
    }
  }
}

export const callIdOf = ({ printed }: Ask): string | null => callIdIn(printed.toolCallId)

/** The line for the CLI's input, with one of the two answers that count once. */
export const replyWith =
  ({ allowOnce, rejectOnce }: Pick<AcpCli, 'allowOnce' | 'rejectOnce'>) =>
  ({ printed }: Ask, answer: AnswerDialog | null): string => {
    const id = rpcIdOf(printed.id)
    if (answer === null || !('decision' in answer)) return cancelledLine(id)
    const optionId = answer.decision === 'allow' ? allowOnce : rejectOnce
    return resultLine(id, { outcome: { outcome: 'selected', optionId } })
  }

export const rpcIdOf = (id: unknown): RpcId => (typeof id === 'number' ? id : String(id))

/** Ids of requests count from 0 in each process, and a run may have several. So the id depends on what is asked. */
const digestOf = (params: Fields): string =>
  createHash('sha256').update(JSON.stringify(params)).digest('hex').slice(0, DIGEST_LENGTH)

const toolOf = ({ tool, kind, command, title }: Call): string =>
  command === null ? (GRADED.get(kind) ?? tool ?? (title || 'a tool')) : 'Bash'

const pathIn = (params: Fields): string | null => {
  const { locations } = fieldsIn(params.toolCall)
  return textIn(listIn(locations)[0]?.path)
}
