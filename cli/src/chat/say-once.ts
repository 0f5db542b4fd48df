/** One message from standard input, and its answer: for scripts. */
import type { ConversationTurn, RunEvent } from '@slipway/protocol'
import type { Client } from '../api/client.ts'
import { EXIT, usage } from '../api/errors.ts'
import type { Context } from '../arguments/context.ts'
import { jsonReport, type Report } from '../output/report.ts'
import { Talk } from './talk.ts'
import { goesOnWith, say, type Wanted } from './wanted.ts'

/** Longest message, in UTF-16 code units. */
const MESSAGE_MAX = 262_144

/** Resolves with the exit code, which says whether the turn has completed. */
export const sayOnce = async (
  client: Client,
  wanted: Wanted,
  { stdin, out, interrupted: signal, isJson }: Context & { readonly isJson: boolean },
): Promise<number> => {
  const text = await messageIn(stdin)
  const said = await say(client, wanted, text, signal)
  const id = said.kind === 'begun' ? said.conversation.id : (wanted.id ?? '')
  if (isJson && said.kind === 'begun') out.json({ type: 'conversation', conversation: said.conversation })
  const note = (line: string): void => (isJson ? undefined : out.note(line))
  note(goesOnWith(id))
  const all = isJson ? jsonReport(out.stdout) : null
  // What others say meanwhile is theirs to see.
  const report: Report = all ?? {
    session: () => undefined,
    event: (event: RunEvent) => {
      if (event.type === 'question') note(`? ${event.title}`)
    },
    ended: () => undefined,
    diff: () => undefined,
  }
  const talk = new Talk({ client, id, report, ui: null, signal, message: () => undefined, note })
  const own = said.kind === 'sent' ? said.message : undefined
  if (own !== undefined) {
    // Its turn may have ended before this look.
    talk.wrote(own)
    await talk.recall(0)
  }
  const isOwn = ({ message }: ConversationTurn): boolean => own === undefined || message.id === own.id
  const turn = await talk.until(isOwn, own?.id)
  if (turn === null) {
    out.note('✗ The message does not wait any more and is not among the last turns. It may have been withdrawn.')
    return EXIT.failed
  }
  const { message, run } = turn
  if (!isJson && run?.result != null) out.say(run.result)
  if (run?.state === 'completed') return EXIT.done
  out.note(`✗ ${run?.error ?? message.error ?? 'The message was released, because the turn before it failed.'}`)
  return EXIT.failed
}

const messageIn = async (stdin: NodeJS.ReadStream): Promise<string> => {
  let text = ''
  stdin.setEncoding('utf8')
  for await (const piece of stdin as AsyncIterable<string>) {
    text += piece
    if (text.length > MESSAGE_MAX) throw usage(`A message has ${MESSAGE_MAX} characters at most.`)
  }
  if (text.trim() === '') throw usage('Standard input has no message.')
  return text.trimEnd()
}
