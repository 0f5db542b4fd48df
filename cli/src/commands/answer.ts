/** `slipway answer` */
import type { AnswerDialog, Dialog } from '@slipway/protocol'
import { EXIT, usage } from '../api/errors.ts'
import { command } from '../arguments/command.ts'
import { askDialog, textOf } from '../dialogs/ask.ts'
import type { Reply } from '../dialogs/reply.ts'
import { send } from '../dialogs/send.ts'
import { valueFor } from '../dialogs/value.ts'
import { table } from '../output/table.ts'
import { HeldLines } from '../tty/held-lines.ts'
import { TtyUi } from '../tty/tty-ui.ts'
import type { Context } from '../arguments/context.ts'

export const answer = command({
  name: 'answer',
  about: 'List the open questions of agents, or answer one of them',
  positionals: [{ name: 'ID', kind: 'dialog', optional: true }],
  options: {
    allow: { type: 'boolean', about: 'Allow the tool, this once' },
    command: { type: 'string', value: 'TEXT', about: 'Allow this command in place of the one that was asked for' },
    deny: { type: 'boolean', about: 'Deny the tool' },
    reason: { type: 'string', value: 'TEXT', about: 'Why it is denied; the agent reads it' },
    value: {
      ...{ type: 'string', value: 'TEXT', multiple: true },
      about: 'The answer: yes or no, an option, a text, or the fields of a form as JSON',
    },
    cancel: { type: 'boolean', about: 'Give no answer; the agent is told no' },
    json: { type: 'boolean', about: 'One question in each line, as JSON' },
  },
  run: async ({ arguments: [id], options }, context) => {
    const { out, interrupted } = context
    const given = givenReply(options)
    if (id === undefined) {
      if (given !== null) throw usage('ID is missing: which question?')
      const query = { state: 'open' }
      const client = await context.client()
      return list(await client.json<Dialog[]>('GET', '/dialogs', { query, signal: interrupted }), options, context)
    }
    const client = await context.client()
    const path = `/dialogs/${encodeURIComponent(id)}`
    const dialog = await client.json<Dialog>('GET', path, { signal: interrupted })
    const reply = given === null ? await asked(dialog, context) : given(dialog)
    if (reply.kind === 'none') return EXIT.failed
    const closed = await send(client, id, reply)
    if (options.json === true) out.json(closed)
    return EXIT.done
  },
})

interface Choice {
  readonly allow?: boolean | undefined
  readonly command?: string | undefined
  readonly deny?: boolean | undefined
  readonly reason?: string | undefined
  readonly value?: readonly string[] | undefined
  readonly cancel?: boolean | undefined
}

/** The reply that the options say; null if they say none. */
const givenReply = ({ allow, command, deny, reason, value, cancel }: Choice): ((dialog: Dialog) => Reply) | null => {
  const isAllowed = allow === true || command !== undefined
  const isDenied = deny === true || reason !== undefined
  if ([isAllowed, isDenied, value !== undefined, cancel === true].filter(Boolean).length > 1)
    throw usage('Give one answer: --allow, --deny, --value or --cancel.')
  const answered = (answer: AnswerDialog) => (): Reply => ({ kind: 'answer', answer })
  if (isAllowed) return answered({ decision: 'allow', ...(command === undefined ? {} : { command }) })
  if (isDenied) return answered({ decision: 'deny', ...(reason === undefined ? {} : { reason }) })
  if (value !== undefined) return ({ question }) => ({ kind: 'answer', answer: { value: valueFor(question, value) } })
  return cancel === true ? () => ({ kind: 'cancel' }) : null
}

const list = (open: readonly Dialog[], options: { readonly json?: boolean | undefined }, { out }: Context): number => {
  if (options.json === true) for (const dialog of open) out.json(dialog)
  else if (open.length === 0) out.note('No questions are open.')
  else {
    const rows = open.map((dialog) => [dialog.id, dialog.agent ?? '', dialog.question.kind, summaryOf(dialog)])
    out.say(table(['ID', 'AGENT', 'KIND', 'QUESTION'], rows))
  }
  return EXIT.done
}

/** What it is about, for one row. */
const summaryOf = (dialog: Dialog): string => {
  const { question } = dialog
  return question.kind === 'approval' && question.command !== null ? `$ ${question.command}` : textOf(dialog)
}

const asked = async (dialog: Dialog, { stdin, out, interrupted }: Context): Promise<Reply> => {
  if (dialog.state !== 'open') throw usage(`The question is not open any more: it is ${dialog.state}.`)
  if (!stdin.isTTY || out.stderr.isTTY !== true)
    throw usage('There is no terminal to ask in. Give an answer: --allow, --deny, --value or --cancel.')
  const ui = new TtyUi({ input: stdin, output: out.stderr, held: new HeldLines() })
  return askDialog(ui, dialog, { signal: interrupted })
}
