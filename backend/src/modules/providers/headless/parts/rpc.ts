/** JSON-RPC 2.0, one message a line: what is read of a CLI's lines, and what is written to it. */
import { type Fields, fieldsIn, integerIn, objectOf, textIn } from './json.ts'

/** Longest id of a request, in UTF-16 code units. Those of the CLIs are numbers and UUIDs. */
const ID_MAX = 200

/** The id of a request. The answer repeats it with its type. */
export type RpcId = string | number

export type RpcMessage =
  | { readonly kind: 'request'; readonly id: RpcId; readonly method: string; readonly params: Fields }
  | { readonly kind: 'notification'; readonly method: string; readonly params: Fields }
  | { readonly kind: 'result'; readonly id: RpcId; readonly result: Fields }
  | { readonly kind: 'error'; readonly id: RpcId; readonly error: RpcError }

/** A request that the other side refuses. */
export interface RpcError {
  readonly code: number | null
  readonly message: string
  readonly data: Fields
}

/** The method is not known, as JSON-RPC 2.0 numbers it. */
export const METHOD_NOT_FOUND = -32_601

/** The message of a line; null for anything else. The field `jsonrpc` is not needed: Codex leaves it out. */
export const rpcOf = (line: string): RpcMessage | null => {
  const message = objectOf(line)
  if (message === null) return null
  const method = textIn(message.method)
  const id = idIn(message.id)
  if (method !== null) {
    const params = fieldsIn(message.params)
    // A request whose id cannot be repeated cannot be answered.
    if (message.id === undefined) return { kind: 'notification', method, params }
    return id === null ? null : { kind: 'request', id, method, params }
  }
  if (id === null) return null
  if (message.error === undefined || message.error === null)
    return { kind: 'result', id, result: fieldsIn(message.result) }
  const { code, message: text, data } = fieldsIn(message.error)
  return { kind: 'error', id, error: { code: integerIn(code), message: textIn(text) ?? '', data: fieldsIn(data) } }
}

const idIn = (value: unknown): RpcId | null => {
  const text = textIn(value)
  return text === null ? integerIn(value) : text.length <= ID_MAX ? text : null
}

const lineOf = (message: Fields): string => JSON.stringify({ jsonrpc: '2.0', ...message })

export const requestLine = (id: RpcId, method: string, params: Fields): string => lineOf({ id, method, params })
export const notificationLine = (method: string, params: Fields): string => lineOf({ method, params })
export const resultLine = (id: RpcId, result: Fields): string => lineOf({ id, result })
export const errorLine = (id: RpcId, code: number, message: string): string => lineOf({ id, error: { code, message } })
