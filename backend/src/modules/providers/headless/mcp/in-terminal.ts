/** MCP servers of a terminal: its arguments may end with a prompt, so an option for them comes first. */
import type { TerminalProgram } from '../../provider.ts'
import type { McpServer } from './server.ts'
import { type ServersFile, withServers } from './with-servers.ts'

/** The program with arguments before all others. */
export const withFirst = ({ argv: [program = '', ...others], env }: TerminalProgram, ...first: readonly string[]) => ({
  argv: [program, ...first, ...others],
  env,
})

/** As `Provider.terminalWithServers`, for a CLI with an option for the file. */
export const withServersOption =
  ({ at: option, ...file }: ServersFile) =>
  (program: TerminalProgram, servers: readonly McpServer[], mark: string): TerminalProgram =>
    withServers(withFirst(program, `${option}${mark}`), { at: mark, ...file }, servers)
