/** `slipway chat` */
import type { RunPolicy } from '@slipway/protocol'
import { usage } from '../api/errors.ts'
import { command } from '../arguments/command.ts'
import { chatInTerminal } from '../chat/in-terminal.ts'
import { sayOnce } from '../chat/say-once.ts'
import type { Wanted } from '../chat/wanted.ts'

const POLICIES = ['skip', 'tiers', 'ask'] as const satisfies readonly RunPolicy[]

export const chat = command({
  name: 'chat',
  about: 'Talk with an agent; without a terminal, one message is read from standard input',
  positionals: [{ name: 'AGENT', kind: 'agent', optional: true }],
  options: {
    continue: { type: 'string', short: 'c', value: 'ID', about: 'Go on with this conversation' },
    provider: { type: 'string', value: 'NAME', about: 'The coding CLI, in place of the agent’s own' },
    model: { type: 'string', value: 'NAME', about: 'A model of the coding CLI' },
    cwd: { type: 'string', value: 'FOLDER', about: 'A folder in the home of the agent' },
    policy: { type: 'string', value: 'NAME', about: 'What to ask people about', values: POLICIES },
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

interface Choice {
  readonly continue?: string | undefined
  readonly provider?: string | undefined
  readonly model?: string | undefined
  readonly cwd?: string | undefined
  readonly policy?: string | undefined
}

/** The conversation to go on with, or what a new one is like. */
const wantedOf = (agent: string | undefined, { continue: id, provider, model, cwd, policy: named }: Choice): Wanted => {
  const policy = POLICIES.find((name) => name === named)
  const fields = {
    ...(provider === undefined ? {} : { provider }),
    ...(model === undefined ? {} : { model }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(policy === undefined ? {} : { policy }),
  }
  if (id === undefined) {
    if (agent === undefined) throw usage('AGENT is missing, or --continue. See "slipway chat --help"')
    return { id: null, fields: { agent, ...fields } }
  }
  if (agent !== undefined || Object.keys(fields).length > 0)
    throw usage('A conversation keeps its agent and its options: give --continue alone.')
  return { id, fields: {} }
}
