/** `slipway chat` */
import { usage } from '../api/errors.ts'
import { command, type Values } from '../arguments/command.ts'
import { workFields, workOptions } from '../arguments/work.ts'
import { chatInTerminal } from '../chat/in-terminal.ts'
import { sayOnce } from '../chat/say-once.ts'
import type { Wanted } from '../chat/wanted.ts'

export const chat = command({
  name: 'chat',
  about: 'Talk with an agent; without a terminal, one message is read from standard input',
  positionals: [{ name: 'AGENT', kind: 'agent', optional: true }],
  options: {
    continue: { type: 'string', short: 'c', value: 'ID', about: 'Go on with this conversation' },
    ...workOptions,
    json: { type: 'boolean', about: 'One JSON value in each line; reads one message, as without a terminal' },
  },
  run: async ({ arguments: [agent], options }, context) => {
    const wanted = wantedOf(agent, options)
    const hasTerminal = context.stdin.isTTY && context.out.stderr.isTTY === true
    const client = await context.client()
    return hasTerminal && options.json !== true
      ? chatInTerminal(client, wanted, context)
      : sayOnce(client, wanted, { ...context, isJson: options.json === true })
  },
})

interface Choice extends Values<typeof workOptions> {
  readonly continue?: string | undefined
}

/** The conversation to go on with, or what a new one is like. */
const wantedOf = (agent: string | undefined, { continue: id, ...options }: Choice): Wanted => {
  const fields = workFields(options)
  if (id === undefined) {
    if (agent === undefined) throw usage('AGENT is missing, or --continue. See "slipway chat --help"')
    return { id: null, fields: { agent, ...fields } }
  }
  if (agent !== undefined || Object.keys(fields).length > 0)
    throw usage('A conversation keeps its agent and its options: give --continue alone.')
  return { id, fields: {} }
}
