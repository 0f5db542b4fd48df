/** What `codex app-server` is answered. */
import type { AnswerDialog } from '@slipway/protocol'
import type { Ask } from '../../headless.ts'
import { bounded, type Fields, fieldsIn, integerIn, textIn } from '../../parts/json.ts'
import { errorLine, METHOD_NOT_FOUND, requestLine, resultLine, type RpcId } from '../../parts/rpc.ts'

/** Codex's requests that people can answer. */
export const ASKS = {
  command: 'item/commandExecution/requestApproval',
  fileChange: 'item/fileChange/requestApproval',
  questions: 'item/tool/requestUserInput',
  elicitation: 'mcpServer/elicitation/request',
} as const

/** How much of a command the reason of a denial repeats, in UTF-16 code units. */
const REPEATED_MAX = 200

/** The line that says no. */
export const refusalOf = (id: RpcId, method: string): string => {
  switch (method) {
    case ASKS.command:
    case ASKS.fileChange:
      return resultLine(id, { decision: 'decline' })
    case ASKS.questions:
      return resultLine(id, { answers: {} })
    case ASKS.elicitation:
      return resultLine(id, { action: 'decline', content: null, _meta: null })
    default:
      return errorLine(id, METHOD_NOT_FOUND, 'This client has no such method.')
  }
}

/** The lines for an answer. A denial carries no reason in Codex's protocol, so the reason is a message to its turn. */
export const reply = (ask: Ask, answer: AnswerDialog | null): string => {
  const { id, method } = printedIn(ask)
  if (answer === null) return refusalOf(id, method)
  if ('value' in answer) return valueLine(id, method, ask, answer.value)
  if (answer.decision === 'allow')
    return resultLine(id, method === ASKS.elicitation ? acceptanceOf({}) : { decision: 'accept' })
  const reason = answer.reason?.trim() ?? ''
  const refusal = refusalOf(id, method)
  // Before it, so that the model reads both at the same time.
  return reason === '' ? refusal : `${steeringLine(ask, reason)}\n${refusal}`
}

const printedIn = ({ printed }: Ask): { readonly id: RpcId; readonly method: string } => ({
  id: integerIn(printed.id) ?? textIn(printed.id) ?? '',
  method: textIn(printed.method) ?? '',
})

type Value = Extract<AnswerDialog, { value: unknown }>['value']

const acceptanceOf = (content: unknown): Fields => ({ action: 'accept', content, _meta: null })

const valueLine = (id: RpcId, method: string, { question }: Ask, value: Value): string => {
  if (question.kind === 'confirm') return value === true ? resultLine(id, acceptanceOf({})) : refusalOf(id, method)
  if (method === ASKS.elicitation) return resultLine(id, acceptanceOf(value))
  const answers = Object.entries(value).map(([name, one]) => [name, { answers: [String(one)] }])
  return resultLine(id, { answers: Object.fromEntries(answers) })
}

const steeringLine = ({ id, question, printed }: Ask, reason: string): string => {
  const { threadId, turnId } = fieldsIn(printed.params)
  const what =
    question.kind === 'approval' ? (question.command ?? question.path ?? `the tool ${question.tool}`) : 'what you asked'
  const text = `The user does not allow this: ${bounded(what, REPEATED_MAX)}\nReason: ${reason}`
  return requestLine(`slipway-reason-${id}`, 'turn/steer', {
    ...{ threadId, expectedTurnId: turnId },
    input: [{ type: 'text', text, text_elements: [] }],
  })
}
