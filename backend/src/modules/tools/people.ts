/** Tools with which a model asks people. They need no token: the relay says whose agent it is in. */
import { randomUUID } from 'node:crypto'
import type { McpServer, ServerContext } from '@modelcontextprotocol/server'
import {
  ASK_MODEL_GRACE_SECONDS,
  AskConfirm,
  type AskedPeople,
  type AskedTitle,
  AskEditor,
  type AskField,
  AskForm,
  AskInput,
  type AskOption,
  type AskPeople,
  AskSelect,
  DIALOG_WAIT_SECONDS,
  type DialogField,
  type DialogOption,
  Notify,
  Show,
  WaitForAnswer,
} from '@slipway/protocol'
import Type from 'typebox'
import type { AskService } from '../asks/service.ts'
import type { Telling } from '../asks/telling.ts'
import type { Visitor } from '../asks/visitor.ts'
import type { Answer } from './answers.ts'
import { toolInput } from './input.ts'

/** What a model reads about them before it calls one. */
export const PEOPLE_INSTRUCTIONS = `The tools whose names begin with ask_ put a question to the people of this agent and answer with what they say. A question without an answer is no yes.`

const ASKED = {
  title: 'The question, in one line.',
  message: 'What people have to know to answer it. Plain text.',
  timeout_seconds:
    'Closes the question after so many seconds. Without it, it stays open while you wait for its answer.',
}
const LATER = `Waits for ${DIALOG_WAIT_SECONDS} seconds. If there is no answer from a person by then, the tool says how to wait further.`

const SPECS = {
  confirm: {
    title: 'Ask people yes or no',
    description: `Asks the people of this agent for a yes or a no. ${LATER}`,
    inputSchema: toolInput(AskConfirm, ASKED),
  },
  select: {
    title: 'Let people choose',
    description: `Lets the people of this agent choose one option, or several. ${LATER}`,
    inputSchema: toolInput(AskSelect, {
      ...ASKED,
      options: 'What there is to choose. You get the `value`; people see the `label` and the `description`.',
      multiple: 'true: several may be chosen.',
    }),
  },
  input: {
    title: 'Ask people for a line',
    description: `Asks the people of this agent for one line of text. ${LATER}`,
    inputSchema: toolInput(AskInput, { ...ASKED, placeholder: 'An example, shown while the field is empty.' }),
  },
  editor: {
    title: 'Let people edit a text',
    description: `Lets the people of this agent write or change a text of several lines. ${LATER}`,
    inputSchema: toolInput(AskEditor, { ...ASKED, prefill: 'The text to change.' }),
  },
  form: {
    title: 'Let people fill in a form',
    description: `Asks the people of this agent several things at once. The answer is a JSON object. ${LATER}`,
    inputSchema: toolInput(AskForm, {
      ...ASKED,
      fields: 'What is asked. A field of the type `select` has `options`, and with `custom` other answers are allowed.',
    }),
  },
  wait: {
    title: 'Wait for the answer of people',
    description: `Waits further for the answer to a question that was asked. ${LATER}`,
    inputSchema: toolInput(WaitForAnswer, { question_id: 'The id that the tool which asked has answered.' }),
    annotations: { readOnlyHint: true },
  },
  notify: {
    title: 'Tell people something',
    description: 'Shows the people of this agent a notice. It waits for no answer.',
    inputSchema: toolInput(Notify, { message: 'What they are told. Plain text.', type: 'info by default.' }),
  },
  show: {
    title: 'Show what you do',
    description:
      'Shows something at the page of this agent until you change it: what you work on (`working`), a title, a line with a name (`status`), several lines with a name (`widget`), or a text (`editor`).',
    inputSchema: toolInput(Show, {
      kind: 'What is shown.',
      key: 'The name of a status or a widget.',
      lines: 'The text, in plain text. An empty list: it is not shown any more.',
    }),
  },
  editorText: {
    title: 'Read the text of the editor',
    description: 'The text that was shown last as `editor`. No person is asked.',
    inputSchema: toolInput(Type.Object({}, { additionalProperties: false }), {}),
    annotations: { readOnlyHint: true },
  },
}

/** What {@link addPeopleTools} needs. */
interface Parts<R> {
  readonly asks: AskService
  readonly telling: Telling
  readonly visitor: Visitor
  /** Makes the result of a tool. */
  answered(answer: Promise<Answer>): R
}
type Answered = Promise<{ content: { type: 'text'; text: string }[]; isError: boolean }>

/** Adds the tools to the server of one request. */
export const addPeopleTools = (server: McpServer, { asks, telling, visitor, answered }: Parts<Answered>): void => {
  const ask = (of: AskedTitle, question: AskPeople['question'], { mcpReq }: ServerContext): Answered => {
    const { title, message, timeout_seconds } = of
    const asked = {
      ...{ id: randomUUID(), title, question },
      ...(message !== undefined && { message }),
      ...(timeout_seconds !== undefined && { timeout_seconds }),
    }
    return answered(asks.ask(visitor, asked, mcpReq.signal, ASK_MODEL_GRACE_SECONDS).then(toAnswer))
  }
  server.registerTool('ask_confirm', SPECS.confirm, (input, ctx) => ask(input, { kind: 'confirm' }, ctx))
  server.registerTool('ask_select', SPECS.select, (input, ctx) => {
    const { options, multiple = false } = input
    return ask(input, { kind: 'select', options: options.map(toOption), multiple }, ctx)
  })
  server.registerTool('ask_input', SPECS.input, (input, ctx) =>
    ask(input, { kind: 'input', placeholder: input.placeholder ?? null }, ctx),
  )
  server.registerTool('ask_editor', SPECS.editor, (input, ctx) =>
    ask(input, { kind: 'editor', prefill: input.prefill ?? '' }, ctx),
  )
  server.registerTool('ask_form', SPECS.form, (input, ctx) =>
    ask(input, { kind: 'form', fields: input.fields.map(toField) }, ctx),
  )
  server.registerTool('wait_for_answer', SPECS.wait, ({ question_id }, { mcpReq }) =>
    answered(asks.wait(visitor, question_id, mcpReq.signal, ASK_MODEL_GRACE_SECONDS).then(toAnswer)),
  )
  server.registerTool('notify', SPECS.notify, (input) => answered(telling.notify(visitor, input).then(toDone)))
  server.registerTool('show', SPECS.show, (input) => answered(telling.show(visitor, input).then(toDone)))
  server.registerTool('get_editor_text', SPECS.editorText, () =>
    answered(telling.editorText(visitor).then(({ text }) => ({ text, isError: false }))),
  )
}

const toOption = (option: AskOption): DialogOption => {
  const { value, label = value, description = null } = option
  return { value, label, description }
}

const toField = (field: AskField): DialogField => {
  const { name, label = name, description = null, type = 'string', required = false, options } = field
  const { multiple = false, custom = false } = field
  return { ...{ name, label, description, type, required, multiple, custom }, options: options?.map(toOption) ?? null }
}

const toDone = (): Answer => ({ text: 'Done.', isError: false })

/** What became of a question, for the model. */
const toAnswer = ({ id, state, answer }: AskedPeople): Answer => {
  const text = (): string => {
    if (state === 'open')
      return `There is no answer yet, which is no yes. To wait further, call wait_for_answer with question_id "${id}".`
    if (state === 'expired') return 'There was no answer in time, which is no yes.'
    if (state !== 'answered' || !answer || !('value' in answer)) return 'The question was cancelled, which is no yes.'
    return `The answer:\n\n${textOf(answer.value)}`
  }
  return { text: text(), isError: false }
}

const textOf = (value: unknown): string => {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
