/** What the command's arguments mean. */
import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { EXIT } from './exits.ts'

export const USAGE = `Usage:
  slipway ask confirm TITLE
  slipway ask select TITLE VALUE... [--multiple]
  slipway ask select TITLE --options JSON [--multiple]   [{"value", "label", "description"}, ...]
  slipway ask input TITLE [--placeholder TEXT]
  slipway ask editor TITLE [--prefill TEXT]
  slipway ask form TITLE --fields JSON                   [{"name", "label", "type", "required", ...}, ...]

  slipway notify MESSAGE [--type info|success|warning|error]
  slipway status NAME [TEXT]                             a line at the agent's page; without a text it is removed
  slipway widget NAME [LINE...]                          several lines; a single - reads them from standard input
  slipway title [TEXT]
  slipway working [TEXT]                                 what the agent is doing
  slipway set-editor-text [LINE...]                      a text, also from standard input (-)
  slipway get-editor-text                                prints the text that was set last
  slipway has-ui                                         0 if Slipway answers, so that people can be asked

Options of ask: --message TEXT, --timeout SECONDS, --json, --id UUID.
A MESSAGE, TEXT of an option, or JSON that is - is read from standard input.

ask waits for a person and prints the answer. Exit codes: 0 answered, yes, or done; 1 no; 2 wrong arguments;
3 cancelled; 4 not answered in time; 5 Slipway does not answer; 6 refused.
`

/** The arguments make no sense. */
export class UsageError extends Error {
  readonly exitCode = EXIT.usage
}

/** The body of the request, as the server checks it. */
interface AskBody {
  readonly id: string
  readonly title: string
  readonly message?: string
  readonly question: object
  readonly timeout_seconds?: number
}

export interface Ask {
  readonly kind: 'ask'
  readonly ask: AskBody
  readonly asJson: boolean
}

/** A request whose answer says nothing. */
export interface Tell {
  readonly kind: 'tell'
  readonly path: '/notify' | '/show'
  readonly body: object
}

/** Prints what Slipway keeps. */
export interface Get {
  readonly kind: 'get'
  readonly path: '/show/editor'
  /** Whether the text is printed; otherwise only that there is an answer counts. */
  readonly prints: boolean
}

export type Command = Ask | Tell | Get | { readonly kind: 'help' }

const OPTIONS = {
  message: { type: 'string' },
  timeout: { type: 'string' },
  json: { type: 'boolean' },
  id: { type: 'string' },
  multiple: { type: 'boolean' },
  options: { type: 'string' },
  placeholder: { type: 'string' },
  prefill: { type: 'string' },
  fields: { type: 'string' },
  type: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

const parse = (args: readonly string[]) => {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`)
  }
}
type Values = ReturnType<typeof parse>['values']

const read = (value: string): Promise<string> => (value === '-' ? text(process.stdin) : Promise.resolve(value))

/** Throws a {@link UsageError}. */
export const commandOf = async (args: readonly string[]): Promise<Command> => {
  const { values, positionals } = parse(args)
  const [name, ...rest] = positionals
  if (values.help) return { kind: 'help' }
  switch (name) {
    case 'help':
      return { kind: 'help' }
    case 'ask':
      return askOf(rest, values)
    case 'notify': {
      const [message] = few(rest, 1, 1)
      const body = { message: await read(message!), ...(values.type !== undefined && { type: values.type }) }
      return { kind: 'tell', path: '/notify', body }
    }
    case 'status': {
      const [key, ...lines] = few(rest, 1, 2)
      return shows({ kind: name, key, lines })
    }
    case 'widget': {
      const [key, ...lines] = few(rest, 1, Infinity)
      const isRead = lines.length === 1 && lines[0] === '-'
      return shows({ kind: name, key, lines: isRead ? (await read('-')).trimEnd().split('\n') : lines })
    }
    case 'set-editor-text': {
      const isRead = rest.length === 1 && rest[0] === '-'
      return shows({ kind: 'editor', lines: isRead ? (await read('-')).trimEnd().split('\n') : rest })
    }
    case 'get-editor-text':
    case 'has-ui':
      few(rest, 0, 0)
      return { kind: 'get', path: '/show/editor', prints: name === 'get-editor-text' }
    case 'title':
    case 'working':
      return shows({ kind: name, lines: few(rest, 0, 1) })
    default:
      throw wrong()
  }
}

const wrong = (): UsageError => new UsageError(`wrong arguments\n\n${USAGE}`)

const few = (rest: readonly string[], min: number, max: number): readonly string[] => {
  if (rest.length < min || rest.length > max) throw wrong()
  return rest
}

/** An empty text is none. */
const shows = ({ lines, ...body }: { kind: string; key?: string | undefined; lines: readonly string[] }): Tell => ({
  ...{ kind: 'tell', path: '/show' },
  body: { ...body, lines: lines.length === 1 && lines[0] === '' ? [] : lines },
})

const askOf = async ([kind, title, ...rest]: readonly string[], values: Values): Promise<Ask> => {
  if (kind === undefined || title === undefined) throw wrong()
  const message = values.message === undefined ? undefined : await read(values.message)
  const ask = {
    id: values.id ?? randomUUID(),
    title,
    ...(message !== undefined && { message }),
    question: await questionOf(kind, rest, values),
    ...(values.timeout !== undefined && { timeout_seconds: numberOf(values.timeout) }),
  }
  return { kind: 'ask', ask, asJson: values.json ?? false }
}

const questionOf = async (kind: string, rest: readonly string[], values: Values): Promise<object> => {
  if (kind !== 'select' && rest.length > 0) throw new UsageError(`one title, not ${rest.length + 1}: quote it`)
  switch (kind) {
    case 'confirm':
      return { kind }
    case 'input':
      return { kind, placeholder: values.placeholder ?? null }
    case 'editor':
      return { kind, prefill: values.prefill === undefined ? '' : await read(values.prefill) }
    case 'select': {
      const given = values.options === undefined ? rest.map((value) => ({ value })) : listOf(await read(values.options))
      return { kind, options: given.map(optionOf), multiple: values.multiple ?? false }
    }
    case 'form':
      if (values.fields === undefined) throw new UsageError('a form needs --fields')
      return { kind, fields: listOf(await read(values.fields)).map(fieldOf) }
    default:
      throw new UsageError(`there is no kind of question ${JSON.stringify(kind)}\n\n${USAGE}`)
  }
}

const numberOf = (value: string): number => {
  if (!/^\d+$/.test(value)) throw new UsageError('--timeout needs a number of seconds')
  return Number(value)
}

const listOf = (json: string): Record<string, unknown>[] => {
  try {
    const list: unknown = JSON.parse(json)
    if (Array.isArray(list) && list.every((one) => typeof one === 'object' && one !== null))
      return list as Record<string, unknown>[]
  } catch {
    // The same as JSON of another kind.
  }
  throw new UsageError('--options and --fields need a JSON list of objects')
}

/** With what the server wants and a script need not say. The server checks the rest. */
const optionOf = (option: Record<string, unknown>): object => ({ label: option['value'], description: null, ...option })

const fieldOf = ({ options, ...field }: Record<string, unknown>): object => ({
  ...{ label: field['name'], description: null, type: 'string', required: false, multiple: false, custom: false },
  ...field,
  options: Array.isArray(options) ? options.map((one) => optionOf(one as Record<string, unknown>)) : null,
})
