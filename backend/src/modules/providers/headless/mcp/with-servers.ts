/** The file in which most CLIs take the MCP servers of one run. */
import { readFileSync } from 'node:fs'
import type { HeadlessProgram } from '../headless.ts'
import type { McpServer, McpTransport } from './server.ts'

/** How a CLI takes servers in a file. */
export interface ServersFile {
  /** What the file's path is appended to: an option, such as `--config=`, or a variable's name with an equals sign. */
  readonly at: string
  /** The field of the file that has the servers by their names. */
  readonly field: string
  formOf(transport: McpTransport): object
}

const SCRIPT = readFileSync(new URL('with-servers.sh', import.meta.url), 'utf8')

/**
 * The program with these servers in a file that only its processes can find. The text travels in a variable, because
 * other programs can read arguments. The program does not get that variable.
 */
export const withServers = (
  program: HeadlessProgram,
  { at, field, formOf }: ServersFile,
  servers: readonly McpServer[] = [],
): HeadlessProgram => {
  if (servers.length === 0) return program
  const byName = Object.fromEntries(servers.map(({ name, transport }) => [name, formOf(transport)]))
  return {
    ...program,
    argv: ['/bin/sh', '-c', SCRIPT, 'slipway-servers', at, ...program.argv],
    env: { ...program.env, SLIPWAY_SERVERS: JSON.stringify({ [field]: byName }) },
  }
}
