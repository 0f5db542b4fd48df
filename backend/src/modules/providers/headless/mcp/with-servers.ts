/** The file in which most CLIs take the MCP servers of one run. */
import { readFileSync } from 'node:fs'
import type { HeadlessProgram } from '../headless.ts'
import type { McpServer, McpTransport } from './server.ts'

/** How a CLI takes servers in a file. */
export interface ServersFile {
  /**
   * What the file's path is appended to: an option, such as `--config=`, or a variable's name with an equals sign. Any other
   * text is a mark in the arguments, which the path replaces.
   */
  readonly at: string
  /** The field of the file that has the servers by their names. */
  readonly field: string
  formOf(transport: McpTransport): object
}

/** The form of Claude's `.mcp.json`, which other CLIs take, too. */
export const LIKE_CLAUDE: Omit<ServersFile, 'at'> = {
  field: 'mcpServers',
  formOf: ({ kind: type, ...settings }) => ({ type, ...settings }),
}

const SCRIPT = readFileSync(new URL('with-servers.sh', import.meta.url), 'utf8')

/**
 * The program with these servers in a file that only its processes can find. The text travels in a variable, because
 * other programs can read arguments. The program does not get that variable.
 */
export const withServers = <P extends Pick<HeadlessProgram, 'argv' | 'env'>>(
  program: P,
  { at, field, formOf }: ServersFile,
  servers: readonly McpServer[] = [],
): P => {
  if (servers.length === 0) return program
  return {
    ...program,
    argv: ['/bin/sh', '-c', SCRIPT, 'slipway-servers', at, ...program.argv],
    env: { ...program.env, SLIPWAY_SERVERS: serversText({ field, formOf }, servers) },
  }
}

/** The text of the file. */
const serversText = ({ field, formOf }: Pick<ServersFile, 'field' | 'formOf'>, servers: readonly McpServer[]): string =>
  JSON.stringify({ [field]: Object.fromEntries(servers.map(({ name, transport }) => [name, formOf(transport)])) })
