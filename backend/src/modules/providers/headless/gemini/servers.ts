/**
 * Gemini takes MCP servers only from files: its settings in the home and in the folder, and those of the system, which
 * must belong to root. A task gives it a file of system defaults. The settings of the home and of a trusted folder come
 * before these.
 */
import type { HeadlessProgram } from '../headless.ts'
import { DOLLAR, literal, mapValues } from '../mcp/literal.ts'
import type { McpServer, McpTransport } from '../mcp/server.ts'

/** The variable with the path of the file. */
const VARIABLE = 'GEMINI_CLI_SYSTEM_DEFAULTS_PATH'

/** In headers and variables Gemini replaces once more, and there a backslash is an escape. */
const twiceLiteral = (text: string): string => text.replaceAll('$', () => `\\${DOLLAR}`)

const settingsOf = (transport: McpTransport): object =>
  transport.kind === 'http'
    ? { httpUrl: literal(transport.url), headers: mapValues(transport.headers, twiceLiteral) }
    : {
        command: literal(transport.command),
        args: transport.args.map(literal),
        env: mapValues(transport.env, twiceLiteral),
      }

/** The file for these servers; nothing without any. */
export const serversFile = (servers: readonly McpServer[] = []): Pick<HeadlessProgram, 'rootFile'> => {
  if (servers.length === 0) return {}
  const mcpServers = Object.fromEntries(servers.map(({ name, transport }) => [name, settingsOf(transport)]))
  return { rootFile: { variable: VARIABLE, text: JSON.stringify({ mcpServers }) } }
}
