/** OpenCode with people: `opencode acp`. Of its tokens it tells only those of the last call of the model, which are left out. */
import type { AcpCli } from '../acp/cli.ts'
import { countIn, type Fields, fieldsIn, listIn, textIn } from '../parts/json.ts'
import { failureOf } from './failure.ts'
import { NO_OUTPUT } from './tools.ts'

const MODE = 'build'
/** The rules of this mode. `*` alone would leave those to the user's own settings that these settings name. */
const RULES = {
  '*': 'ask',
  bash: 'ask',
  edit: 'ask',
  ...Object.fromEntries(['read', 'glob', 'grep', 'list', 'todowrite', 'todoread'].map((tool) => [tool, 'allow'])),
}
const DENIED = /^The user rejected permission to use this specific tool call/
const INTERNAL = /^Internal error: /
/** What OpenCode has in the place of a model if no provider is set up. */
const NO_MODEL = 'unknown/unknown'

/** What is added to the user's own configuration. */
export const askingConfig = (model: string | null): string =>
  JSON.stringify({
    disabled_providers: ['opencode'],
    permission: 'ask',
    agent: { [MODE]: { permission: RULES } },
    ...(model === null ? {} : { model }),
  })

export const OPENCODE: AcpCli = {
  label: 'OpenCode',
  mode: MODE,
  allowOnce: 'once',
  rejectOnce: 'reject',
  stopsWhenDenied: true,
  asksEarly: true,
  planTool: 'todowrite',
  // The title of the first message; later ones describe the call.
  toolIn: ({ title }) => textIn(title),
  endOf: (output) => {
    const text = textIn(output.output) ?? textIn(output.error)
    return {
      text: text === NO_OUTPUT ? '' : text,
      exitCode: countIn(fieldsIn(output.metadata).exit),
      isDenied: DENIED.test(textIn(output.error) ?? ''),
    }
  },
  usageIn: () => [],
  refusalOf: (session) =>
    modelOf(session) === NO_MODEL
      ? { reason: 'not_signed_in', message: 'No model provider is configured.', status: null, resetsAt: null }
      : null,
  forks: 'session/fork',
  // It does not say why. The part of it that finds sessions is named, and it has nothing else to do before the first prompt.
  isLost: ({ data }) => data.service === 'session',
  failureOf: ({ message, data }, now) => {
    const error = { name: data.errorName, data: { message: message.replace(INTERNAL, '') } }
    return (
      failureOf(error, now) ?? {
        reason: 'cli_error',
        message: 'OpenCode was interrupted.',
        status: null,
        resetsAt: null,
      }
    )
  },
}

const modelOf = ({ configOptions }: Fields): unknown =>
  listIn(configOptions).find(({ id }) => id === 'model')?.currentValue
