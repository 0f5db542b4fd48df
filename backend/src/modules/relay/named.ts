/** The headers that MCP's revision 2026-07-28 wants over HTTP, for messages that come from a program's standard output. */
import type { IncomingHttpHeaders } from 'node:http'

const VERSION = 'io.modelcontextprotocol/protocolVersion'
/** Characters of a header's value. Other names are of no tool here. */
const PLAIN = /^[\w./-]{1,200}$/

/** Sets the headers that a message names itself, if it has none. A message is foreign: it may be anything. */
export const nameInHeaders = (headers: IncomingHttpHeaders, message: unknown): void => {
  if (headers['mcp-protocol-version'] !== undefined) return
  const params = fieldOf(message, 'params')
  const version = fieldOf(fieldOf(params, '_meta'), VERSION)
  if (!isPlain(version)) return
  headers['mcp-protocol-version'] = version
  const [method, name] = [fieldOf(message, 'method'), fieldOf(params, 'name')]
  if (isPlain(method)) headers['mcp-method'] = method
  if (isPlain(name)) headers['mcp-name'] = name
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined

const isPlain = (value: unknown): value is string => typeof value === 'string' && PLAIN.test(value)
