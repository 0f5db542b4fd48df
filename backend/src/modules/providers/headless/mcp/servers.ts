/** The MCP servers that a task's CLI gets from the platform, and the file in which most CLIs take them. */
import { readFileSync } from 'node:fs'
import type { HeadlessProgram } from '../headless.ts'

/** How to reach an MCP server. All values are final; they may be secret. */
export type McpTransport =
  | {
      readonly kind: 'stdio'
      readonly command: string
      readonly args: readonly string[]
      readonly env: Readonly<Record<string, string>>
    }
  | { readonly kind: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> }

/** An MCP server by its name, which is validated: `[a-z0-9-]`. */
export interface McpServer {
  readonly name: string
  readonly transport: McpTransport
}

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
