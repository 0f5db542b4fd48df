/** What `codex app-server` asks people. */
import { DIALOG_TEXT_MAX, DIALOG_TITLE_MAX, DIALOGS_OPEN_PER_RUN } from '@slipway/protocol'
import type { Ask, AskedQuestion } from '../../headless.ts'
import { callIdIn } from '../../parts/ids.ts'
import { bounded, boundedJson, type Fields, fieldsIn, textIn } from '../../parts/json.ts'
import { OpenCalls } from '../../parts/open-calls.ts'
import type { RpcId, RpcMessage } from '../../parts/rpc.ts'
import { type Change, changesIn, filesOf, inputOf } from './changes.ts'
import { inFolder, scriptOf } from './command.ts'
import { fieldsOfQuestions, fieldsOfSchema } from './form.ts'
import { ASKS } from './replies.ts'

type Request = Extract<RpcMessage, { kind: 'request' }>

/** What the titles call it. */
const CODEX = 'Codex'
/** Of MCP's elicitation: it asks for a permission to use a tool. */
const TOOL_CALL = 'mcp_tool_call'

/** The questions of one process that have no answer yet. */
export class CodexAsks {
  #open: readonly Ask[] = []
  /** The changes of files that wait or run. The request for a permission names only their item. */
  readonly #changes = new OpenCalls<readonly Change[]>()

  get open(): readonly Ask[] {
    return this.#open
  }

  /** A change of files begins. */
  changes(item: Fields): void {
    this.#changes.start(callIdIn(item.id), changesIn(item.changes))
  }

  /** The tool of this item has ended. */
  ended(item: Fields): void {
    this.#changes.end(callIdIn(item.id))
  }

  /**
   * The question that this request asks; null if people cannot be asked it. `folder` is that of the thread. `turnId` is the
   * turn to which a request without one belongs.
   */
  asked(request: Request, folder: string, turnId: string | null): Ask | null {
    const { id: rpcId, method, params } = request
    const turn = callIdIn(params.turnId) ?? turnId
    // Another process of the same task begins to count its requests anew.
    const id = callIdIn(turn === null ? null : `${turn}/${rpcId}`)
    if (id === null) return null
    const known = this.#open.find((ask) => ask.id === id)
    if (known) return known
    const asked = this.#open.length >= DIALOGS_OPEN_PER_RUN ? null : this.#askedBy(method, params, folder)
    if (asked === null) return null
    const title = bounded(asked.title, DIALOG_TITLE_MAX)
    const ask: Ask = { ...asked, id, title, printed: { id: rpcId, method, params: { ...params, turnId: turn } } }
    this.#open = [...this.#open, ask]
    return ask
  }

  /** Codex does not wait for the answer to this request any more. */
  settled(rpcId: RpcId | null): void {
    if (this.#open.some(({ printed }) => printed.id === rpcId))
      this.#open = this.#open.filter(({ printed }) => printed.id !== rpcId)
  }

  /** The turn is over. */
  clear(): void {
    if (this.#open.length > 0) this.#open = []
  }

  #askedBy(method: string, params: Fields, folder: string): Asked | null {
    switch (method) {
      case ASKS.command:
        return commandOf(params, folder)
      case ASKS.fileChange:
        return fileChangeOf(params, this.#changes.get(callIdIn(params.itemId)) ?? [])
      case ASKS.questions: {
        const fields = fieldsOfQuestions(params.questions)
        if (fields.length === 0) return null
        return { title: `${CODEX} asks`, message: null, question: { kind: 'form', fields } }
      }
      case ASKS.elicitation:
        return elicitationOf(params)
      default:
        return null
    }
  }
}

/** A question before it has its id. */
type Asked = Omit<Ask, 'id' | 'printed'>

const whyIn = ({ reason }: Fields): string | null => {
  const why = textIn(reason)
  return why === null ? null : bounded(why, DIALOG_TEXT_MAX)
}

const APPROVAL = { kind: 'approval', command: null, path: null, why: null, editable: false } as const

/** Codex takes a yes or a no, and no other command. */
const commandOf = (params: Fields, folder: string): Asked => {
  const line = textIn(params.command)
  const cwd = textIn(params.cwd)
  const approval = { ...APPROVAL, tool: 'exec_command', input: null, why: whyIn(params) }
  // Something else than a command that starts, for example text for one that runs.
  if (line === null || (params.kind ?? 'command') !== 'command')
    return {
      title: `${CODEX} asks for a permission`,
      message: null,
      question: { ...approval, input: boundedJson(params) },
    }
  const script = scriptOf(line)
  const command = cwd === null || cwd === folder ? script : inFolder(cwd, script)
  const question = { ...approval, command: bounded(command, DIALOG_TEXT_MAX) }
  return { title: `${CODEX} wants to run a command`, message: null, question }
}

const fileChangeOf = (params: Fields, changes: readonly Change[]): Asked => {
  const files = filesOf(changes)
  const [first] = files
  const question: AskedQuestion = {
    ...APPROVAL,
    tool: 'apply_patch',
    path: first && files.length === 1 ? first.path : null,
    input: boundedJson(inputOf(changes)),
    why: whyIn(params),
  }
  const title = `${CODEX} wants to change ${files.length === 1 ? 'a file' : 'files'}`
  return { title, message: null, question, ...(files.length > 0 && { files }) }
}

const elicitationOf = (params: Fields): Asked | null => {
  if (params.mode !== 'form') return null
  const meta = fieldsIn(params._meta)
  const server = textIn(params.serverName) ?? ''
  const said = textIn(params.message)
  const message = said === null || said === '' ? null : bounded(said, DIALOG_TEXT_MAX)
  if (meta.codex_approval_kind === TOOL_CALL) {
    const tool = textIn(meta.tool_name) ?? ''
    const about = textIn(meta.tool_description)
    return {
      title: `${CODEX} wants to use ${tool} of ${server}`,
      message: about === null ? null : bounded(about, DIALOG_TEXT_MAX),
      question: {
        ...APPROVAL,
        tool: bounded(`mcp__${server}__${tool}`, DIALOG_TITLE_MAX),
        input: boundedJson(meta.tool_params),
      },
    }
  }
  const fields = fieldsOfSchema(fieldsIn(params.requestedSchema))
  if (fields === null) return null
  const title = `${server} asks`
  return { title, message, question: fields.length === 0 ? { kind: 'confirm' } : { kind: 'form', fields } }
}
