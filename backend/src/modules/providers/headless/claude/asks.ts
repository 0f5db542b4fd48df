/** What Claude asks people over its standard input and output, and how it is answered. */
import {
  type AnswerDialog,
  DIALOG_FIELDS_MAX,
  DIALOG_OPTIONS_MAX,
  DIALOG_TEXT_MAX,
  DIALOG_TITLE_MAX,
  type DialogField,
  DIALOGS_OPEN_PER_RUN,
  type RunHappening,
} from '@slipway/protocol'
import type { Ask, AskedQuestion } from '../headless.ts'
import { bounded, boundedJson, type Fields, fieldsIn, listIn, textIn } from '../parts/json.ts'

/** Longest id of a question, in UTF-16 code units. Claude's are UUIDs. */
const ID_MAX = 200
/** The tool with which Claude asks a question of its own. */
const ASK_TOOL = 'AskUserQuestion'

/** The questions of one process that have no answer yet. */
export class ClaudeAsks {
  #open: readonly Ask[] = []

  get open(): readonly Ask[] {
    return this.#open
  }

  /** A line `control_request`. */
  asked(line: Fields): RunHappening[] {
    const id = textIn(line.request_id)
    const request = fieldsIn(line.request)
    if (id === null || id === '' || id.length > ID_MAX || request.subtype !== 'can_use_tool') return []
    if (this.#open.some((ask) => ask.id === id)) return []
    if (this.#open.length >= DIALOGS_OPEN_PER_RUN) {
      const message = `Claude has more than ${DIALOGS_OPEN_PER_RUN} questions at once. This one is not asked.`
      return [{ type: 'status', status: 'notice', message }]
    }
    const ask = askOf(id, request)
    this.#open = [...this.#open, ask]
    return [{ type: 'question', requestId: id, callId: callIdOf(ask), title: ask.title }]
  }

  /** Claude does not wait for the answer to this question any more. */
  settled(id: string | null): void {
    if (this.#open.some((ask) => ask.id === id)) this.#open = this.#open.filter((ask) => ask.id !== id)
  }

  /** A tool has a result, so it needs no permission any more. */
  used(callId: string | null): void {
    const ask = callId === null ? undefined : this.#open.find((one) => callIdOf(one) === callId)
    if (ask) this.settled(ask.id)
  }
}

const callIdOf = ({ printed }: Ask): string | null => textIn(printed.tool_use_id)

const askOf = (id: string, request: Fields): Ask => {
  const tool = bounded(textIn(request.tool_name) ?? 'a tool', DIALOG_TITLE_MAX)
  const input = fieldsIn(request.input)
  const fields = tool === ASK_TOOL ? fieldsOf(input) : []
  if (fields.length > 0)
    return { id, title: 'Claude asks', message: null, question: { kind: 'form', fields }, printed: request }
  const command = tool === 'Bash' ? textIn(input.command) : null
  const path = textIn(input.file_path) ?? textIn(input.notebook_path)
  const why = textIn(request.decision_reason)
  const question: AskedQuestion = {
    kind: 'approval',
    tool,
    command: command === null ? null : bounded(command, DIALOG_TEXT_MAX),
    path: path === null ? null : bounded(path, 4096),
    input: boundedJson(input),
    why: why === null ? null : bounded(why, DIALOG_TEXT_MAX),
    // The rest of a command that was cut would be lost.
    editable: command !== null && command.length <= DIALOG_TEXT_MAX,
  }
  const description = textIn(request.description)
  return {
    id,
    title: bounded(`Claude wants to use ${textIn(request.display_name) ?? tool}`, DIALOG_TITLE_MAX),
    message: description === null || description === command ? null : bounded(description, DIALOG_TEXT_MAX),
    question,
    printed: request,
  }
}

/** The questions of the tool, each as a choice that also takes a text of one's own. */
const fieldsOf = (input: Fields): DialogField[] =>
  listIn(input.questions)
    .slice(0, DIALOG_FIELDS_MAX)
    .flatMap((question) => {
      const name = textIn(question.question)
      const options = listIn(question.options)
        .slice(0, DIALOG_OPTIONS_MAX)
        .flatMap((option) => {
          const label = textIn(option.label)
          if (label === null) return []
          const description = textIn(option.description)
          return [
            {
              value: bounded(label, 1000),
              label: bounded(label, 1000),
              description: description === null ? null : bounded(description, DIALOG_TEXT_MAX),
            },
          ]
        })
      if (name === null || name === '' || options.length === 0) return []
      return [
        {
          // Claude looks its answers up by the whole question.
          name: bounded(name, NAME_MAX),
          label: bounded(textIn(question.header) ?? '', 1000),
          description: bounded(name, DIALOG_TEXT_MAX),
          type: 'select' as const,
          required: true,
          options,
          multiple: question.multiSelect === true,
          custom: true,
        },
      ]
    })
/** Longest name of a field, in UTF-16 code units. */
const NAME_MAX = 200

/** The line for Claude's input. Without a changed command, Claude uses the input that it has itself, secrets included. */
export const reply = ({ id, question, printed }: Ask, answer: AnswerDialog | null): string =>
  JSON.stringify({
    type: 'control_response',
    response: { subtype: 'success', request_id: id, response: decisionOf(question, fieldsIn(printed.input), answer) },
  })

const decisionOf = (question: AskedQuestion, input: Fields, answer: AnswerDialog | null): Fields => {
  if (answer === null) return { behavior: 'deny', message: 'The user does not want to answer this.' }
  if ('value' in answer) {
    const values = question.kind === 'form' && typeof answer.value === 'object' ? answer.value : {}
    return { behavior: 'allow', updatedInput: { ...input, answers: answersOf(input, values) } }
  }
  if (answer.decision === 'deny')
    return { behavior: 'deny', message: answer.reason?.trim() || 'The user does not allow this.' }
  if (answer.command === undefined) return { behavior: 'allow' }
  return { behavior: 'allow', updatedInput: { ...input, command: answer.command } }
}

/** By the whole questions. Several options are one text. */
const answersOf = (input: Fields, values: object): Fields =>
  Object.fromEntries(
    listIn(input.questions).flatMap((question) => {
      const name = textIn(question.question)
      const value: unknown = name === null ? undefined : Reflect.get(values, bounded(name, NAME_MAX))
      if (name === null || value === undefined) return []
      return [[name, Array.isArray(value) ? value.join(', ') : (textIn(value) ?? JSON.stringify(value))]]
    }),
  )
